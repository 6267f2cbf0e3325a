import { isShown, noteShown, parse, takeFilter } from "./address.js";
import { ApiError, NO_SERVER, ask } from "./api.js";
import { h, place, replace, setFolders } from "./dom.js";
import { closeDialog, showDialog } from "./dialog.js";
import { showEvent, stepEvent } from "./timeline.js";

const PAGES = { overview: "Overview", sessions: "Sessions", live: "Live", hooks: "Hooks", matrix: "Matrix", problems: "Problems", clients: "Clients" };
const NAMES = Object.keys(PAGES);
const main = document.getElementById("main");
let leaving = new AbortController();
let ready = null; // the promise of what every page needs: about, clients

if (location.search) history.replaceState(null, "", location.pathname + location.hash); // the token is used up

const links = Object.fromEntries(NAMES.map((name, index) => [name, h("a", { href: `#/${name}`, title: `${PAGES[name]} (${index + 1})` }, PAGES[name])]));
replace(document.getElementById("pages"), NAMES.map((name) => h("li", {}, links[name])));

async function start() {
  const [about, known] = await Promise.all([ask("/api/about"), ask("/api/clients")]);
  setFolders(about);
  replace(document.getElementById("notes"), about.notes.map((note) => h("p", {}, note)));
  replace(document.getElementById("about"), h("span", {}, place(about.folder)), h("span", {}, `journal: ${about.journal === "PostgreSQL" ? about.journal : place(about.journal)}`), h("span", {}, `anyhook ${about.version}`));
  return { about, clients: known };
}

async function route() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  closeDialog();
  takeFilter();
  const { page: name, parts } = parse();
  noteShown();
  const chosen = NAMES.includes(name) ? name : "overview";
  for (const each of NAMES) {
    if (each === chosen) links[each].setAttribute("aria-current", "page");
    else links[each].removeAttribute("aria-current");
  }
  document.title = `${PAGES[chosen]} · anyhook`;
  const fail = (error) => {
    if (error.name !== "AbortError" && !signal.aborted) replace(main, h("div", { class: "page" }, h("h1", {}, PAGES[chosen]), h("p", { class: "error", role: "alert" }, error.message), h("button", { type: "button", on: { click: again } }, "Try again")));
  };
  try {
    ready ??= start();
    ready.catch(() => { ready = null; });
    const page = await load(chosen);
    await page.show(main, chosen === name ? parts : [], { ready, signal, fail });
    await ready;
    if (signal.aborted) return;
    showEvent();
    Object.assign(main.dataset, { shown: chosen, shownAt: performance.now() }); // for tests and bench/ui.py
  } catch (error) {
    fail(error);
  }
}

async function load(name) {
  try {
    return await import(`./pages/${name}.js`);
  } catch {
    throw new ApiError(NO_SERVER);
  }
}

addEventListener("hashchange", () => {
  if (isShown()) { // an event opens beside its page, which stays as it is
    if (parse().query.has("event")) showEvent();
    else closeDialog();
    return;
  }
  again();
  scrollTo(0, 0);
});

function again() {
  delete main.dataset.shown;
  route();
}

// --- theme and keys

const themeButton = document.getElementById("theme");
const nameTheme = (name) => {
  themeButton.textContent = { auto: "◐", light: "☀", dark: "☾" }[name];
  themeButton.setAttribute("aria-label", `Colours: ${name}`);
  themeButton.title = `Colours: ${name} (t)`;
};
nameTheme(window.anyhookTheme.known());
themeButton.addEventListener("click", () => nameTheme(window.anyhookTheme.next()));

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

const KEYS = [["1 – 7", "the pages, in their order"], ["j, ↓", "next event, session or hook"], ["k, ↑", "the one before"], ["Enter", "open it"], ["Esc", "close it"], ["j, k", "in an open event: the next one, the one before"], ["r", "load the page again"], ["/", "to the filter"], ["t", "colours: auto, light, dark"], ["?", "this list"]];
const showKeys = () => showDialog("Keyboard", h("dl", { class: "facts" }, KEYS.map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])));
document.getElementById("keys").addEventListener("click", showKeys);

const STEPS = ".event, .session, tbody a, tbody button, .problem button";

function step(direction) {
  const active = document.activeElement;
  const scope = active?.closest(".side, .pane") || document.querySelector(".pane .event")?.closest(".pane") || main;
  const items = [...scope.querySelectorAll(STEPS)].filter((item) => item.offsetParent !== null);
  if (!items.length) return false;
  const at = items.indexOf(active);
  const next = at < 0 ? (direction > 0 ? 0 : items.length - 1) : at + direction;
  items[Math.max(0, Math.min(items.length - 1, next))].focus();
  return true;
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (document.getElementById("dialog").open) {
    if (event.key === "j" || event.key === "k") stepEvent(event.key === "j" ? 1 : -1);
    return;
  }
  const isMoved = { j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1) }[event.key];
  if (isMoved) {
    if (isMoved()) event.preventDefault();
  } else if (/^[1-7]$/.test(event.key)) {
    location.hash = `#/${NAMES[Number(event.key) - 1]}`;
  } else if (event.key === "/" && document.querySelector(".filter input")) {
    event.preventDefault();
    document.querySelector(".filter input").focus();
  } else if (event.key === "r") {
    again();
  } else if (event.key === "t") {
    themeButton.click();
  } else if (event.key === "?") {
    showKeys();
  }
});

route();
