// Elements from data. Texts are always text: nothing here reads HTML, and the page's policy forbids it.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "vars") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

export const plural = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

export function duration(ms) {
  if (ms === null || ms === undefined) return "no limit";
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 119_500) return `${ms % 1000 ? (ms / 1000).toFixed(ms < 9_995 ? 2 : 1) : ms / 1000} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ""}`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
}

const two = (number) => String(number).padStart(2, "0");

export function clock(iso) {
  const at = new Date(iso);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function day(iso) {
  const at = new Date(iso);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export const moment = (iso) => `${day(iso)} ${clock(iso)}`;

// For lists: today 17:02, yesterday 09:30, 16 Nov 17:02, 2025-11-16.
export function briefly(iso, now = new Date()) {
  const at = new Date(iso);
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  const hour = clock(iso).slice(0, 5);
  if (days === 0 || days === 1) return `${days ? "yesterday" : "today"} ${hour}`;
  return at.getFullYear() === now.getFullYear() ? `${at.getDate()} ${MONTHS[at.getMonth()]} ${hour}` : day(iso);
}
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export const time = (iso, shown = clock) => h("time", { datetime: iso, title: moment(iso) }, shown(iso));

let home = "";
let folder = "";
export function setFolders(about) {
  home = about.home;
  folder = about.folder;
}

export function place(file, line = 0) {
  if (!file) return "";
  let shown = file;
  if (folder && file.startsWith(`${folder}/`)) shown = file.slice(folder.length + 1);
  else if (home && (file === home || file.startsWith(`${home}/`))) shown = `~${file.slice(home.length)}`;
  return line ? `${shown}:${line}` : shown;
}

// The project of an event, where it is not the folder that the page is about.
export const otherProject = (path) => (path === folder ? "" : place(path));

export const short = (text, width) => (text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}…`);

// Without the variable for its folder, which every hook of a package has, and the quotes around it.
export const hookName = (text) => text.replace(/"?\$\{?\w+\}?"?\/([^"\s]*)"?/g, "$1");

// The script alone, without the program that runs it and its folder: what tells one bar from another.
export const scriptName = (text) => hookName(text).replace(/^(?:(?:\S*\/)?(?:sh|bash|zsh|node|ruby|perl|python[\d.]*)\s+)?(?:[^\s"';|&<>$()]*\/)([^\s\/"';|&<>$()]+)/, "$1");

export function badge(text, kind) {
  return h("span", { class: `badge ${kind}` }, text);
}

const EFFECTS = { proceed: "plain usual", block: "bad", stop: "bad", ask: "warn", defer: "warn", feedback: "warn", continue: "info" };
export const effectBadge = (effect) => (effect ? badge(effect, EFFECTS[effect] || "plain") : badge("seen", "plain usual"));

const STATUSES = { blocked: "bad", allowed: "ok", skipped: "plain" };
export const statusKind = (status) => STATUSES[status] || "warn";

const SEVERITIES = { error: "bad", warning: "warn", note: "plain" };
export const severityBadge = (severity) => badge(severity, SEVERITIES[severity] || "plain");

export function scrolled(label, element) {
  return h("div", { class: "scrolled", role: "region", "aria-label": label, tabindex: "0" }, element);
}

// A command to type, with a button that copies it.
export const command = (text) => h("span", { class: "command" }, h("code", {}, text), copyButton(text, `Copy ${text}`));

export function copyButton(text, label) {
  const button = h("button", { type: "button", class: "copy", "aria-label": label, title: label, on: { click: copy } }, "Copy");
  async function copy() {
    try {
      await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed"; // by the browser
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }
  return button;
}

// A remedy as anyhook prints it; the commands in it can be copied.
export const remedy = (text) => text.split(/(?<=^|[:;] |, or )(anyhook [a-z]+(?: [^;,(\n]*[^;,(\s])?)/).map((part, index) => (index % 2 ? command(part) : part));

const NUMBERS = new Set(["Fired", "Blocked", "Failed", "p50", "p95", "Events", "Can block on", "Timeout"]);

export function table(label, heads, rows, className = "") {
  return scrolled(
    label,
    h(
      "table",
      { class: className },
      h("caption", { class: "hidden" }, label),
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", class: NUMBERS.has(head) ? "number" : null }, head)))),
      h("tbody", {}, rows),
    ),
  );
}
