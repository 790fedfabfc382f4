/* Asks this browser for a subscription and puts it into the form; without web push the page says so. */
"use strict";
(() => {
  const form = document.getElementById("push-form");
  const note = document.getElementById("push-note");
  if (!form || !note) return;
  const say = (words) => { note.textContent = words; };
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) { say("This browser cannot be told anything by web push."); return; }
  if (Notification.permission === "denied") { say("Notifications of this site are blocked in this browser; allow them in its settings first."); return; }
  const bytes = (text) => {
    const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/") + "=".repeat((4 - text.length % 4) % 4));
    return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  };
  form.hidden = false;
  say("");
  form.addEventListener("submit", (event) => {
    if (form.elements.address.value) return;
    event.preventDefault();
    say("The browser asks you whether you want this.");
    navigator.serviceWorker.register(form.dataset.worker)
      .then((worker) => worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(form.dataset.key) }))
      .then((subscription) => {
        const told = subscription.toJSON();
        form.elements.address.value = told.endpoint;
        form.elements.browser_key.value = told.keys.p256dh;
        form.elements.auth.value = told.keys.auth;
        form.submit();
      })
      .catch((error) => say("It did not work: " + error.message));
  });
})();
