import { h, replace } from "./dom.js";

// Shows how far a computation is, in place of its result.
export function progress(element, label) {
  const bar = h("progress", { "aria-label": label });
  const text = h("span", { class: "quiet-text" });
  replace(element, h("p", { class: "progress", role: "status" }, `${label} … `, bar, " ", text));
  return (done, total) => {
    if (!total) return;
    bar.max = total;
    bar.value = done;
    text.textContent = `${done} of ${total}`;
  };
}
