import { ask } from "../api.js";
import { badge, h, plural, replace } from "../dom.js";
import { eventRow } from "../timeline.js";

const KEPT = 300;

export async function show(main, parameters, context) {
  const list = h("ol", { class: "events live" });
  const state = h("span", { class: "state", role: "status" }, badge("connecting", "plain"));
  const waiting = [];
  let isPaused = false;
  let count = 0;
  const counter = h("span", { class: "quiet-text" });
  const pause = h("button", { type: "button", "aria-pressed": "false", on: { click: toggle } }, "Pause");
  replace(main,
    h("div", { class: "page" },
      h("header", { class: "page-head" }, h("h1", {}, "Live"), state, pause, counter),
      h("p", { class: "quiet-text" }, "Every event that anyhook answers, the newest first."),
      list));

  const page = await ask("/api/events", { limit: 50 }, context.signal);
  put(page.events);
  const last = page.events.at(-1)?.number ?? 0;

  const source = new EventSource(`/api/live?after=${last}`);
  context.signal.addEventListener("abort", () => source.close());
  source.addEventListener("open", () => replace(state, badge("connected", "ok")));
  source.addEventListener("error", () => replace(state, badge("no connection", "warn")));
  source.addEventListener("problem", (message) => replace(state, badge(JSON.parse(message.data).error, "warn")));
  source.addEventListener("row", (message) => {
    const view = JSON.parse(message.data);
    count += 1;
    if (isPaused) waiting.push(view);
    else put([view]);
    tell();
  });

  function toggle() {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.textContent = isPaused ? "Go on" : "Pause";
    if (!isPaused) put(waiting.splice(0).slice(-KEPT));
    tell();
  }

  function tell() {
    const held = waiting.length ? `, ${waiting.length} of them held back` : "";
    replace(counter, count ? `${plural(count, "new event")}${held}` : "");
  }

  function put(views) {
    for (const view of views) list.prepend(eventRow(view, true));
    while (list.children.length > KEPT) list.lastElementChild.remove();
  }
}
