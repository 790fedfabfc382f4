/* Small comforts; every page works without them. Keys 1 to 9 go to an answer (Enter opens it, no key plays); a pressed button says so. */
"use strict";
(() => {
  const OFF = "roadkill-keys-off";
  const remembered = () => { try { return localStorage.getItem(OFF) === "1"; } catch { return false; } };
  const remember = (off) => { try { off ? localStorage.setItem(OFF, "1") : localStorage.removeItem(OFF); } catch { /* a browser without storage keeps keys on */ } };
  let off = remembered();

  document.addEventListener("keydown", (event) => {
    if (off || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea, [contenteditable]")) return;
    if (!/^[1-9]$/.test(event.key)) return;
    const answer = document.getElementById("a" + event.key);
    if (answer) { answer.focus(); event.preventDefault(); }
  });

  const keys = document.querySelector(".keys");
  if (keys) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "second small";
    const say = () => { button.textContent = off ? "Turn keys on" : "Turn keys off"; };
    button.addEventListener("click", () => { off = !off; remember(off); say(); });
    say();
    keys.hidden = false;
    keys.append(" ", button);
  }

  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!(button instanceof HTMLButtonElement) || event.target.method !== "post") return;
    // After the form has been read, so that a button's own name and value still go with it.
    setTimeout(() => { button.dataset.words = button.textContent; button.textContent = "Sending\u2026"; button.disabled = true; }, 0);
  });
  // Back from the browser's page cache the button must work again.
  addEventListener("pageshow", () => {
    for (const button of document.querySelectorAll("button[data-words]")) {
      button.textContent = button.dataset.words; button.disabled = false; delete button.dataset.words;
    }
  });
})();
