import { replace } from "./dom.js";

const dialog = document.getElementById("dialog");

document.getElementById("dialog-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // outside of its content
});

export function showDialog(title, ...content) {
  document.getElementById("dialog-title").textContent = title;
  const body = replace(document.getElementById("dialog-body"), ...content);
  if (!dialog.open) dialog.showModal();
  body.scrollTop = 0;
}

export const closeDialog = () => dialog.open && dialog.close();
