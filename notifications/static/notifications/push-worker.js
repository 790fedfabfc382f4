/* Shows what a race has to say: its name and what is wanted, nothing else is in the message. Tapping it opens the race. */
"use strict";

self.addEventListener("push", (event) => {
  const told = event.data ? event.data.json() : {};
  const title = told.title || "Roadkill";
  event.waitUntil(self.registration.showNotification(title, { body: told.body || "", tag: told.address || "", data: told.address || "/" }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data, self.location.origin);
  if (address.origin !== self.location.origin) return;
  event.waitUntil(self.clients.matchAll({ type: "window" }).then((pages) => {
    const open = pages.find((page) => page.url === address.href);
    return open ? open.focus() : self.clients.openWindow(address.href);
  }));
});
