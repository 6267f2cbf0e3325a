// What is opened beside a page. An event has an address of its own: Back closes it.

import { addressOf, parse } from "./address.js";
import { replace } from "./dom.js";

const dialog = document.getElementById("dialog");
let isOfAddress = false;

document.getElementById("dialog-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // outside of its content
});
dialog.addEventListener("close", () => {
  const { page, parts, query } = parse();
  if (!isOfAddress || !query.has("event")) return;
  isOfAddress = false;
  document.querySelector(`.event[data-number="${CSS.escape(query.get("event"))}"]`)?.focus(); // perhaps not the one that was opened
  if (history.state?.isOpened) history.back();
  else history.replaceState(null, "", addressOf(page, parts));
});

export function showDialog(title, ...content) {
  document.getElementById("dialog-title").textContent = title;
  const body = replace(document.getElementById("dialog-body"), ...content);
  isOfAddress = false;
  if (!dialog.open) dialog.showModal();
  body.scrollTop = 0;
}

// The dialog of the event that the address names.
export function showOfAddress(title, ...content) {
  showDialog(title, ...content);
  isOfAddress = true;
}

// When the address has changed already.
export function closeDialog() {
  isOfAddress = false;
  if (dialog.open) dialog.close();
}

// Name an event in the address; the page then shows it. Another one takes its place.
export function nameEvent(number) {
  const { page, parts, query } = parse();
  const address = addressOf(page || "sessions", parts, String(number));
  if (query.has("event")) history.replaceState(history.state, "", address);
  else history.pushState({ isOpened: true }, "", address);
}
