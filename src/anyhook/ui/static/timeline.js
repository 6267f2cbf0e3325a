// Events in the shape of the lifecycle: a session has turns, a turn has calls of tools, and each hook is a bar.

import { ask } from "./api.js";
import { parse, sessionAddress } from "./address.js";
import { badge, copyButton, day, duration, effectBadge, h, moment, otherProject, place, plural, scriptName, statusKind, time } from "./dom.js";
import { nameEvent, showOfAddress } from "./dialog.js";

// A logarithmic scale that never changes: from 1 ms to a minute. Bars can be compared everywhere.
const LONGEST_MS = 60_000;
const width = (ms) => `${Math.max(1.5, (Math.log10(1 + ms) / Math.log10(1 + LONGEST_MS)) * 100)}%`;
const TICKS = [1, 10, 100, 1000, 10_000];

export function scale() {
  return h(
    "div",
    { class: "scale", "aria-hidden": "true" },
    h("span", { class: "track" }, TICKS.map((ms) => h("span", { class: "tick", vars: { "--at": width(ms) } }, ms < 1000 ? `${ms} ms` : `${ms / 1000} s`))),
  );
}

function bar(hook) {
  return h(
    "span",
    { class: "hook" },
    h("span", { class: "hook-name", title: hook.hook }, scriptName(hook.hook)),
    h("span", { class: "track", title: `${hook.status}, ${duration(hook.ms)}` }, h("span", { class: `bar ${statusKind(hook.status)}`, vars: { "--width": width(hook.ms) } })),
    h("span", { class: "hook-ms" }, duration(hook.ms)),
    hook.status !== "allowed" && h("span", { class: `hook-status ${statusKind(hook.status)}` }, hook.status),
  );
}

export function eventRow(view, withSession = false) {
  if (view.note) return h("li", { class: "note-row" }, time(view.at), " ", view.note);
  const nothing = view.skipped ? `no hook ran, ${view.skipped} skipped` : "no hook";
  return h(
    "li",
    { class: `event-row level-${view.level}` },
    h(
      "button",
      { type: "button", class: "event", data: { number: view.number, effect: view.effect }, on: { click: () => openEvent(view.number) } },
      h("span", { class: "event-head" },
        h("span", { class: "event-what" },
          time(view.at),
          h("span", { class: "event-name" }, view.event),
          view.tool && h("span", { class: "event-tool" }, view.tool),
          view.subject && h("span", { class: "event-subject" }, view.subject),
          view.simulation && badge(`anyhook ${view.simulation}`, "plain"),
          withSession && h("span", { class: "event-client" }, [view.client, otherProject(view.project)].filter(Boolean).join(" · ")),
          !view.hooks.length && h("span", { class: "no-hook" }, nothing),
        ),
        h("span", { class: "event-ms" }, duration(view.ms)),
        h("span", { class: "event-effect" }, effectBadge(view.effect)),
      ),
      view.hooks.map(bar),
      view.more_hooks > 0 && h("span", { class: "no-hook" }, `and ${plural(view.more_hooks, "hook")} more`),
      view.reason && h("span", { class: "event-reason" }, view.reason),
    ),
  );
}

export function openEvent(number) {
  nameEvent(number);
  return showEvent();
}

// Shows the event that the address names.
export async function showEvent() {
  const number = parse().query.get("event");
  if (!number) return;
  let shown;
  try {
    const detail = await ask(`/api/events/${encodeURIComponent(number)}`);
    const { view } = detail;
    shown = [`${view.event}${view.tool ? ` · ${view.tool}` : ""}`, facts(detail), hooks(view.hooks, "Hooks that ran"), hooks(detail.skipped, "Hooks that were skipped"), bodies(detail)];
  } catch (error) {
    shown = ["Event", h("p", { class: "error" }, error.message)];
  }
  if (parse().query.get("event") === number) showOfAddress(...shown); // else it was left meanwhile
}

// The event after or before the one that is open.
export function stepEvent(direction) {
  const numbers = [...document.querySelectorAll(".event")].map((item) => item.dataset.number);
  const next = numbers[numbers.indexOf(parse().query.get("event")) + direction];
  if (parse().query.has("event") && next !== undefined) openEvent(next);
}

function facts(detail) {
  const { view } = detail;
  const rows = [
    ["About", view.subject && h("code", {}, view.subject)],
    ["Answer", [effectBadge(view.effect), view.reason && ` ${view.reason}`]],
    ["Decided by", place(...splitPlace(detail.decided_by))],
    ["When", moment(view.at)],
    ["Took", `${duration(view.ms)}${detail.via ? `, through ${detail.via}` : ""}`],
    ["Client", `${view.client}${detail.release ? ` ${detail.release}` : ""}`],
    ["Event", detail.canonical && detail.canonical !== view.event ? `${view.event} (${detail.canonical})` : view.event],
    ["Session", view.session && h("a", { href: sessionAddress(view) }, view.session)],
    ["Project", place(view.project)],
    ["Repository", detail.repository],
    ["Simulation", view.simulation && `by anyhook ${view.simulation}; no client has sent it`],
    ["Sizes", detail.bytes_in || detail.bytes_out ? `payload ${plural(detail.bytes_in, "byte")}, answer ${plural(detail.bytes_out, "byte")}` : ""],
    ["Recording", detail.recording],
    ["Redacted", detail.redacted ? plural(detail.redacted, "value") : ""],
    ["Left out", detail.cut ? `${plural(detail.cut, "character")}, because the row would be too large` : ""],
    ["Note", [detail.is_concluded && "The outcome follows from later events; it was not seen. ", detail.may_have_asked && "The user may have been asked."]],
  ];
  const filled = rows.filter(([, value]) => (Array.isArray(value) ? value.some(Boolean) : value));
  return h("dl", { class: "facts" }, filled.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function splitPlace(text) {
  const found = /^(.*):(\d+)$/.exec(text);
  return found ? [found[1], Number(found[2])] : [text, 0];
}

function hooks(list, title) {
  if (!list.length) return null;
  return [
    h("h3", {}, title),
    h("ul", { class: "detail-hooks" }, list.map((hook) =>
      h("li", {},
        h("div", {}, badge(hook.status, statusKind(hook.status)), " ", h("code", {}, hook.hook), hook.status !== "skipped" && h("span", { class: "quiet-text" }, ` ${duration(hook.ms)}`)),
        hook.file && h("div", { class: "quiet-text" }, place(hook.file, hook.line)),
        hook.reason && h("pre", { class: "reason" }, hook.reason),
      ))),
  ];
}

function bodies(detail) {
  if (detail.payload || detail.answer) return [body("What the client read", detail.answer), body("Payload", detail.payload)];
  return [h("h3", {}, "Payload"), h("p", { class: "quiet-text" }, "The journal has no payloads and answers. To keep them: ", h("code", {}, "bodies = true"), " under ", h("code", {}, "[journal]"), " in your ", h("code", {}, "anyhook.toml"), ".")];
}

function body(title, found) {
  if (!found) return null;
  const text = typeof found.value === "string" ? found.value : JSON.stringify(found.value, null, 2);
  const cut = found.cut_bytes > 0 && h("p", { class: "quiet-text" }, `The first part of ${plural(found.cut_bytes, "byte")}.`);
  return h("section", {}, h("h3", { class: "with-copy" }, title, copyButton(text, `Copy: ${title}`)), cut, h("pre", { class: "body" }, text));
}

// Puts events into turns as they come, page by page; those without a session into days.
export class Timeline {
  constructor(hasTurns) {
    this.hasTurns = hasTurns;
    this.day = "";
    this.element = h("div", { class: "timeline" });
    this.turns = 0;
    this.open = null; // the list to which the next event belongs
    this.isTurn = false;
  }

  add(views) {
    for (const view of views) {
      if (!this.hasTurns) {
        if (day(view.at) !== this.day) this.#startPart((this.day = day(view.at)));
        this.open.append(eventRow(view));
        continue;
      }
      if (view.opens_turn) this.#startTurn();
      else if (view.level === "session" && this.isTurn && view.closes_turn) this.#endTurn();
      if (this.open === null) this.#startPart("");
      this.open.append(eventRow(view));
      if (view.closes_turn) this.#endTurn();
    }
  }

  #startTurn() {
    this.turns += 1;
    this.#startPart(`Turn ${this.turns}`);
    this.isTurn = true;
  }

  #startPart(title) {
    this.open = h("ol", { class: "events" });
    this.element.append(h("section", { class: title ? "turn" : "between" }, title && h("h3", {}, title), this.open));
    this.isTurn = false;
  }

  #endTurn() {
    this.open = null;
    this.isTurn = false;
  }
}
