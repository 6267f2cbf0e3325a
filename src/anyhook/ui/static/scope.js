// Whether pages show the events of this project alone, as they do at first, or those of all projects.

import { h } from "./dom.js";

let isEverywhere = false;

export const scope = () => ({ everywhere: isEverywhere ? "1" : "" });

export function scopeBox(about, onChange) {
  if (!about.project) return null;
  const change = (event) => {
    isEverywhere = !event.target.checked;
    onChange();
  };
  return h("label", { class: "check", title: about.project }, h("input", { id: "scope", type: "checkbox", checked: !isEverywhere, on: { change } }), "only this project");
}

export function seeAll(about) {
  if (!about.project || isEverywhere) return null;
  const see = () => document.getElementById("scope").click();
  return h("button", { type: "button", on: { click: see } }, "Show all projects");
}
