// What makes a report searchable: a browser of groups, the explanation of a cell, downloads.
// Labels are hostile text: they reach the page through textContent alone.
(() => {
  "use strict";

  const store = document.getElementById("data");
  const byId = (id) => document.getElementById(id);

  // ---- light and dark -------------------------------------------------------------------------
  const theme = byId("theme");
  const themes = ["auto", "light", "dark"];
  const setTheme = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    theme.textContent = { auto: "◐", light: "○", dark: "●" }[name];
    const words = { auto: "as the system", light: "light", dark: "dark" }[name];
    theme.title = `Colours: ${words}`;
    theme.setAttribute("aria-label", `Colours: ${words}; switch`);
    theme.dataset.now = name;
  };
  theme.addEventListener("click", () => {
    setTheme(themes[(themes.indexOf(theme.dataset.now) + 1) % themes.length]);
  });
  setTheme("auto");
  for (const each of document.querySelectorAll(".script-only")) each.hidden = false;
  document.documentElement.classList.add("with-script");  // hides static twins, but not on paper

  // Long tables are folded up on the screen, and unfolded on paper.
  const folds = [...document.querySelectorAll("details.fold")];
  for (const each of folds) each.open = false;
  let unfolded = [];
  window.addEventListener("beforeprint", () => {
    unfolded = folds.filter(({ open }) => !open);
    for (const each of unfolded) each.open = true;
  });
  window.addEventListener("afterprint", () => { for (const each of unfolded) each.open = false; });
  // A link into what is folded up opens it.
  const unfold = () => {
    const target = document.getElementById(location.hash.slice(1));
    const around = target?.closest("details.fold");
    if (around && !around.open) { around.open = true; target.scrollIntoView(); }
  };
  if (store === null) { window.addEventListener("hashchange", unfold); unfold(); return; }

  // What a screen reader says when something below has changed: a few words, not whole tables.
  const say = (text) => { byId("status").textContent = text; };

  // ---- numbers, as Python writes them -----------------------------------------------------------
  const MINUS = "\u2212";
  const shown = (value, digits = 3) => {
    if (value === null || Number.isNaN(value)) return "–";
    if (value === 0) return "0";
    const size = Number(Math.abs(value).toExponential(digits - 1));
    let text;
    if (size >= 1e-4 && size < 1e15) {
      const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
      text = Math.abs(value).toLocaleString("en-US", {
        minimumFractionDigits: places, maximumFractionDigits: places,
      });
    } else {
      text = String(size).replace("e+", "e").replace("-", MINUS);
    }
    return (value < 0 ? MINUS : "") + text;
  };
  const signed = (value, digits = 3) => (value > 0 ? "+" : "") + shown(value, digits);
  const percent = (share) => {
    const value = 100 * share;
    if (value > 0 && value < 0.1) return "under 0.1\u00a0%";
    if (value > 99.9 && value < 100) return "over 99.9\u00a0%";
    const fine = (value > 0 && value < 9.95) || (value >= 99 && value < 100);
    return `${value.toFixed(fine ? 1 : 0)}\u00a0%`;
  };
  const whole = (value) => value.toLocaleString("en-US");

  // ---- elements ---------------------------------------------------------------------------------
  const SVG = "http://www.w3.org/2000/svg";
  const fill = (element, attributes, content) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== false) element.setAttribute(name, value);
    }
    element.append(...content.filter((each) => each !== null));
    return element;
  };
  const make = (name, attributes = {}, ...content) =>
    fill(document.createElement(name), attributes, content);
  const draw = (name, attributes = {}, ...content) =>
    fill(document.createElementNS(SVG, name), attributes, content);
  const bar = (from, to, kind, ends = null) => {
    const [left, right] = from < to ? [from, to] : [to, from];
    return draw("svg", { class: "bar", width: "100%", height: 12, "aria-hidden": "true" },
      draw("rect", {
        class: kind, x: `${100 * left}%`, width: `${100 * (right - left)}%`, height: 12, rx: 1.5,
      }),
      ends && draw("line", {
        class: "error", y1: 6, y2: 6, x1: `${100 * Math.max(0, ends[0])}%`,
        x2: `${100 * Math.min(1, ends[1])}%`,
      }));
  };
  const show = (target, ...content) => target.replaceChildren(...content.filter((each) => each !== null));
  const LONGEST = 160;
  const visible = (text) => {
    if (text.trim() === "") return `“${text}”`;
    return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
  };
  const labelled = (text, name = "span", attributes = {}) =>
    make(name, { dir: "auto", ...attributes }, visible(text));
  const headed = (...names) => make("thead", {}, make("tr", {}, ...names.map((each) =>
    make("th", { scope: "col", class: each.startsWith("#") ? "number" : null },
      each.replace("#", "")))));

  // ---- the model --------------------------------------------------------------------------------
  const data = JSON.parse(store.textContent);
  const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };
  const unpack = (text, kind) => {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    return new KINDS[kind](bytes.buffer);
  };
  const optional = (text, kind) => (text === null ? null : unpack(text, kind));

  // A mode as stored: the labels of some rows, and their non-zero weights row by row.
  class Mode {
    constructor(stored, number) {
      Object.assign(this, stored);
      this.number = number;
      this.begins = unpack(stored.begins, "u4");
      this.columns = unpack(stored.columns, stored.column_kind);
      this.values = unpack(stored.values, "f8");
      this.errors = stored.errors ? unpack(stored.errors, "f4") : null;
      this.rows = optional(stored.rows, "u4");
      this.counts = optional(stored.counts, "u4");
      this.biases = optional(stored.biases, "f8");
      this.places = optional(stored.places, "u4");
      this.n = this.begins.length - 1;
      this.component = new Map(stored.components.map((each) => [each.number, each]));
      this.lists = null;
    }

    label(at) {
      return this.labels === null ? String(this.rows === null ? at : this.rows[at]) : this.labels[at];
    }

    // Where a label stands, -1 if it is not here: exactly, or else whatever the capitals.
    find(text) {
      if (this.places_of === undefined) {
        this.places_of = new Map();
        for (let at = this.n - 1; at >= 0; at--) this.places_of.set(this.label(at), at);
      }
      const exact = this.places_of.get(text) ?? this.places_of.get(text.trim());
      if (exact !== undefined) return exact;
      const wanted = text.trim().toLowerCase();
      for (let at = 0; at < this.n; at++) if (this.label(at).toLowerCase() === wanted) return at;
      return -1;
    }

    weight(at, column) {
      for (let k = this.begins[at]; k < this.begins[at + 1]; k++) {
        if (this.columns[k] === column) return this.values[k];
      }
      return 0;
    }

    // Whether a weight is more than next to nothing beside the largest of its column.
    counts_in(column, weight) {
      return Math.abs(weight) >= (this.component.get(column)?.least ?? Infinity);
    }

    // The labels of a component, as {at, weight, error}; weights of next to nothing are left out.
    members(column) {
      if (this.lists === null) {
        this.lists = new Map();
        for (let at = 0; at < this.n; at++) {
          for (let k = this.begins[at]; k < this.begins[at + 1]; k++) {
            if (!this.counts_in(this.columns[k], this.values[k])) continue;
            if (!this.lists.has(this.columns[k])) this.lists.set(this.columns[k], []);
            this.lists.get(this.columns[k]).push(
              { at, weight: this.values[k], error: this.errors === null ? 0 : this.errors[k] });
          }
        }
      }
      return this.lists.get(column) ?? [];
    }

    title(column) {
      return this.component.get(column)?.title ?? `${this.name} ${column}`;
    }

    few(column) {
      return this.component.get(column)?.few ?? "";
    }
  }

  const modes = data.modes.map((stored, number) => new Mode(stored, number));
  const order = modes.length;
  const places = unpack(data.core.at, data.core.kind);
  const core = unpack(data.core.values, "f8");
  const sizes = unpack(data.core.sizes, "f8");
  const growth = optional(data.core.shares, "f4");
  const relations = Array.from(core, (value, k) => ({
    at: Array.from(places.subarray(k * order, (k + 1) * order)),
    value, size: sizes[k], share: growth === null ? null : growth[k], number: k,
  }));
  const told = (relation) => modes.filter((mode) => !isConstant(mode, relation.at[mode.number]));
  const isConstant = (mode, column) => data.constant && column === 0;
  const titleOf = (relation) => {
    const groups = told(relation).map((mode) => mode.title(relation.at[mode.number]));
    return groups.length ? groups.join(" × ") : "the base level";
  };

  // ---- the browser of groups --------------------------------------------------------------------
  const PAGE = 25;
  const pickMode = byId("pick-mode");
  const pickComponent = byId("pick-component");
  const sortBy = byId("sort-by");
  const filter = byId("filter");
  let limit = PAGE;

  const groupAddress = (mode, column) => `#group-${mode}-${column}`;
  const groupLink = (mode, column, text) => make("a", { href: groupAddress(mode.number, column) },
    labelled(text ?? mode.title(column)));

  const fillComponents = () => {
    const mode = modes[Number(pickMode.value)];
    pickComponent.replaceChildren(...mode.components.map((each) => {
      const names = mode.few(each.number);
      const own = each.title === `${mode.name} ${each.number}` ? each.title : `${each.number}: ${each.title}`;
      return make("option", { value: each.number }, names ? `${own} (${names})`.slice(0, 90) : own);
    }));
    for (const each of sortBy.options) {
      if (each.value === "order") each.hidden = each.disabled = mode.places === null;
      if (each.value === "entries") each.hidden = each.disabled = mode.counts === null;
    }
    if (sortBy.selectedOptions[0]?.disabled) sortBy.value = "weight";
  };

  const SORTS = {
    weight: () => (a, b) => Math.abs(b.weight) - Math.abs(a.weight),
    relevance: () => (a, b) => b.relevance - a.relevance,
    order: (mode) => (a, b) => mode.places[a.at] - mode.places[b.at],
    entries: (mode) => (a, b) => mode.counts[b.at] - mode.counts[a.at],
    label: (mode) => (a, b) => mode.label(a.at).localeCompare(mode.label(b.at)),
  };

  // As reading/relevance.py: the weight counts the less the fewer entries a label has, and as much
  // as this group's share in all that the label does.
  const addRelevance = (mode, column, members) => {
    const { usual, scale } = mode.component.get(column);
    for (const each of members) {
      let all = 0;
      for (let k = mode.begins[each.at]; k < mode.begins[each.at + 1]; k++) {
        if (!isConstant(mode, mode.columns[k])) {
          all += (mode.values[k] * (mode.component.get(mode.columns[k])?.scale ?? 0)) ** 2;
        }
      }
      const n = mode.counts === null ? null : mode.counts[each.at];
      const reliable = Math.abs(each.weight) * (n === null ? 1 : n / (n + usual));
      each.relevance = all > 0 ? (reliable * (each.weight * scale) ** 2) / all : 0;
    }
  };

  const inUnit = (text) => data.unit ? `${text}\u00a0${data.unit}` : text;
  const barRows = (mode, members, scale, largest, wanted) => members.map((each) => {
    const effect = each.weight * scale;
    const share = Math.abs(effect) / largest;
    const spread = (2 * each.error * Math.abs(scale)) / largest;
    return make("tr", {},
      make("th", { scope: "row" }, make("a", { href: `#label-${mode.number}-${each.at}`, class: "clamp" },
        marked(mode.label(each.at), wanted))),
      make("td", { class: "bar" }, bar(0, share, effect < 0 ? "minus" : "plus",
        each.error > 0 ? [share - spread, share + spread] : null)),
      make("td", { class: "number" }, inUnit(signed(effect))),
      make("td", { class: "number" }, shown(each.weight)),
      make("td", { class: "number" }, mode.counts === null ? "–" : whole(mode.counts[each.at])));
  });

  const marked = (text, wanted) => {
    const at = wanted ? text.toLowerCase().indexOf(wanted) : -1;
    if (at < 0) return labelled(text);
    return make("span", { dir: "auto" }, text.slice(0, at),
      make("mark", {}, text.slice(at, at + wanted.length)), text.slice(at + wanted.length));
  };

  const showGroup = () => {
    const mode = modes[Number(pickMode.value)];
    const column = Number(pickComponent.value);
    const about = mode.component.get(column);
    const target = byId("group-shown");
    if (about === undefined) {
      show(target, make("p", {}, "This mode has no groups."));
      return;
    }
    const wanted = filter.value.trim().toLowerCase();
    const all = mode.members(column);
    addRelevance(mode, column, all);
    const matching = all.filter(({ at }) => !wanted || mode.label(at).toLowerCase().includes(wanted));
    const sorted = [...matching].sort(SORTS[sortBy.value](mode));
    const largest = all.reduce((most, { weight, error }) => Math.max(most, (Math.abs(weight) + 2 * error) * Math.abs(about.scale)), 1e-300);
    say(`${about.title}: ${whole(sorted.length)} labels`);
    const part = sorted.slice(0, limit);
    const apart = sortBy.value === "order" || sortBy.value === "label" ? [part] : [
      part.filter(({ weight }) => weight * about.scale > 0),
      part.filter(({ weight }) => weight * about.scale < 0),
    ];
    const words = apart.length === 1 ? ["in order"] : ["higher with these", "lower with these"];
    const tables = apart.map((members, side) => members.length === 0 ? null : make("table", { class: "members" },
      make("caption", {}, words[side]), headed(mode.name, "", "#adds", "#weight", "#entries"),
      make("tbody", {}, ...barRows(mode, members, about.scale, largest, wanted))));
    const more = sorted.length > limit
      ? make("button", { type: "button", onclick: () => { limit += 4 * PAGE; showGroup(); } },
        `show more (${whole(limit)} of ${whole(sorted.length)} shown)`)
      : null;
    const importance = about.share === null ? null
      : make("p", { class: "quiet" }, `Without this group, the error would grow by ${percent(about.share)} of the variation.`);
    show(target, 
      make("div", { class: "panes" },
        make("div", {},
          make("h3", { id: "group-title", tabindex: -1 }, labelled(about.title)),
          make("p", { class: "quiet" }, `${whole(about.n)} of ${whole(mode.size)} labels of ${mode.name} belong to it`
            + `${about.n > all.length ? `; ${whole(all.length)} of them are in this page` : ""}. `
            + "“Adds” is what a label adds to a value among typical partners."),
          importance,
          ...(tables.some((each) => each !== null) ? tables
            : [make("p", {}, all.length ? "No label of this group matches." : "No label belongs to this group.")]), more),
        make("div", {}, make("h3", {}, "What joins it"), joins(mode, column))));
  };

  const joins = (mode, column) => {
    const found = relations.filter((each) => each.number < data.core.told
      && each.at[mode.number] === column && told(each).length > 0);
    if (found.length === 0) return make("p", { class: "quiet" }, "No relation has this group.");
    const items = found.slice(0, 12).map((relation) => {
      const partners = told(relation).filter((each) => each !== mode);
      const inside = partners.flatMap((partner, k) => [
        k ? " × " : null,
        groupLink(partner, relation.at[partner.number]),
        make("span", { class: "quiet", dir: "auto" }, ` ${partner.few(relation.at[partner.number])}`.slice(0, 120)),
      ]);
      return make("li", {}, ...(inside.length ? inside : ["whatever the other labels"]),
        make("div", { class: "quiet" }, `${inUnit(signed(relation.size))} among typical labels`
          + (relation.share === null ? "" : `; ${percent(relation.share)} of the variation`)));
    });
    const rest = found.length > items.length
      ? make("p", { class: "quiet" }, `and ${whole(found.length - items.length)} weaker ones`) : null;
    return make("div", {}, make("ul", { class: "joins" }, ...items), rest);
  };

  const pick = (mode, column, focus = true) => {
    pickMode.value = String(mode);
    fillComponents();
    pickComponent.value = String(column);
    limit = PAGE;
    filter.value = "";
    showGroup();
    if (focus) {
      byId("browse").scrollIntoView();
      byId("group-title")?.focus({ preventScroll: true });
    }
  };

  pickMode.addEventListener("change", () => { fillComponents(); limit = PAGE; showGroup(); });
  for (const each of [pickComponent, sortBy]) {
    each.addEventListener("change", () => { limit = PAGE; showGroup(); });
  }
  filter.addEventListener("input", () => { limit = PAGE; showGroup(); });

  // ---- where a label loads ----------------------------------------------------------------------
  const find = byId("find-label");
  const MOST_FOUND = 20;

  const search = () => {
    const wanted = find.value.trim().toLowerCase();
    const target = byId("labels-found");
    if (!wanted) { target.replaceChildren(); return; }
    const found = [];
    let n = 0;
    for (const mode of modes) {
      for (let at = 0; at < mode.n; at++) {
        const where = mode.label(at).toLowerCase().indexOf(wanted);
        if (where < 0) continue;
        n += 1;
        found.push({ mode, at, where, length: mode.label(at).length });
      }
    }
    say(`${whole(n)} labels found`);
    found.sort((a, b) => a.where - b.where || a.length - b.length);
    if (n === 1) { showLabel(found[0].mode, found[0].at); return; }
    show(target, 
      make("p", { class: "quiet" }, n === 0 ? "No label in this page has that text."
        : `${whole(n)} label${n === 1 ? "" : "s"}${n > MOST_FOUND ? `, the first ${MOST_FOUND} shown` : ""}:`),
      make("ul", { class: "joins" }, ...found.slice(0, MOST_FOUND).map(({ mode, at }) =>
        make("li", {}, make("a", { href: `#label-${mode.number}-${at}` }, marked(mode.label(at), wanted)),
          make("span", { class: "quiet" }, ` ${mode.name}`)))));
  };

  const showLabel = (mode, at) => {
    say(`${mode.label(at)}, ${mode.name}`);
    const rows = [];
    for (let k = mode.begins[at]; k < mode.begins[at + 1]; k++) {
      const column = mode.columns[k];
      if (isConstant(mode, column) || !mode.counts_in(column, mode.values[k])) continue;
      const about = mode.component.get(column);
      rows.push({ column, weight: mode.values[k], effect: mode.values[k] * (about?.scale ?? 0) });
    }
    rows.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
    const largest = Math.max(...rows.map(({ effect }) => Math.abs(effect)), 1e-300);
    const facts = [mode.name];
    if (mode.counts !== null) facts.push(`${whole(mode.counts[at])} entries`);
    if (mode.biases !== null) facts.push(`bias ${signed(mode.biases[at])}`);
    show(byId("labels-found"), 
      make("h3", { id: "label-title", tabindex: -1 }, labelled(mode.label(at))),
      make("p", { class: "quiet" }, facts.join(" · ")),
      rows.length === 0 ? make("p", {}, "It belongs to no group.") : make("table", {},
        make("caption", {}, "The groups that it belongs to"),
        headed("group", "", "#adds", "#weight"),
        make("tbody", {}, ...rows.map((each) => make("tr", {},
          make("th", { scope: "row" }, groupLink(mode, each.column),
            make("div", { class: "quiet", dir: "auto" }, mode.few(each.column).slice(0, 120))),
          make("td", { class: "bar" }, bar(0, Math.abs(each.effect) / largest, each.effect < 0 ? "minus" : "plus")),
          make("td", { class: "number" }, signed(each.effect)),
          make("td", { class: "number" }, shown(each.weight)))))));
  };
  find.addEventListener("input", search);

  // ---- addresses inside of the page -------------------------------------------------------------
  const follow = () => {
    const [, kind, mode, number] = location.hash.match(/^#(group|label)-(\d+)-(\d+)$/) ?? [];
    if (kind === "group" && modes[mode]?.component.has(Number(number))) pick(Number(mode), Number(number));
    if (kind === "label" && Number(number) < (modes[mode]?.n ?? 0)) {
      showLabel(modes[mode], Number(number));
      byId("find").scrollIntoView();
      byId("label-title").focus({ preventScroll: true });
    }
    if (kind === undefined) unfold();
  };
  window.addEventListener("hashchange", follow);
  // A link to the address that is already shown changes nothing that the browser would report.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) follow();
  });

  // ---- the explanation of a cell ----------------------------------------------------------------
  const fields = modes.map((_, number) => byId(`cell-${number}`));

  // The row that a prediction uses: a label without entries is stood for by an average one.
  const rowOf = (mode, at) => {
    const unseen = mode.counts !== null && mode.counts[at] === 0;
    return {
      unseen,
      weight: (column) => unseen ? (mode.stand_in === null ? 0 : mode.stand_in[column]) : mode.weight(at, column),
    };
  };

  const explain = (cell) => {
    const chosen = modes.map((mode, number) => rowOf(mode, cell[number]));
    const terms = [];
    let total = 0;
    for (const relation of relations) {
      let value = relation.value;
      const weights = [];
      for (let n = 0; n < order && value !== 0; n++) {
        const weight = chosen[n].weight(relation.at[n]);
        if (!isConstant(modes[n], relation.at[n])) weights.push([n, weight]);
        value *= weight;
      }
      total += value;
      if (value !== 0) terms.push({ kind: told(relation).length ? "relation" : "mean", relation, weights, value });
    }
    const silent = data.biased && chosen.some(({ unseen }) => unseen);
    if (silent) { total = 0; terms.length = 0; }
    terms.sort((a, b) => (b.kind === "mean") - (a.kind === "mean") || Math.abs(b.value) - Math.abs(a.value));
    const first = [];
    if (data.mean !== null) {
      first.push({ kind: "mean", value: data.mean });
      let offset = data.mean;
      modes.forEach((mode, n) => {
        if (mode.biases === null || chosen[n].unseen) return;
        first.push({ kind: "bias", mode, at: cell[n], value: mode.biases[cell[n]] });
        offset += mode.biases[cell[n]];
      });
      total += offset;
    }
    return { total, terms: [...first, ...terms], unseen: chosen.map(({ unseen }) => unseen) };
  };

  const nameOf = (term, cell) => {
    const inside = (each) => modes[each].label(cell[each]);
    if (term.kind === "mean") return make("span", {}, data.constant ? "the base level" : "the mean");
    if (term.kind === "bias") return make("span", {}, `${term.mode.name}: bias of `, labelled(term.mode.label(term.at)));
    const { relation } = term;
    const groups = told(relation);
    const links = groups.flatMap((mode, k) => [
      k ? " × " : null,
      groupLink(mode, relation.at[mode.number], groups.length === 1
        ? `effect of ${mode.name} ${inside(mode.number)}` : mode.component.get(relation.at[mode.number])?.short),
    ]);
    const weights = term.weights.map(([n, weight]) => `${inside(n)} ${shown(weight)}`.slice(0, 60));
    return make("span", {}, ...links, make("div", { class: "quiet", dir: "auto" },
      `${titleOf(relation)}: core ${shown(relation.value)} × ${weights.join(" × ")}`));
  };

  const MOST_TERMS = 12;
  const showCell = (most = MOST_TERMS) => {
    const target = byId("cell-shown");
    const cell = fields.map((field, n) => modes[n].find(field.value));
    fields.forEach((field, n) => field.setAttribute("aria-invalid", String(cell[n] < 0)));
    const wrong = cell.findIndex((at) => at < 0);
    if (wrong >= 0) {
      const { value } = fields[wrong];
      const problem = value.trim() === "" ? `Choose a label of ${modes[wrong].name}.`
        : `There is no label “${value.slice(0, 80)}” of ${modes[wrong].name} in this page.`;
      show(target, make("p", { class: "problem" }, problem));
      say(problem);
      return;
    }
    const { total, terms, unseen } = explain(cell);
    say(`The prediction is ${shown(total, 5)}`);
    const first = terms.slice(0, most);
    const rest = terms.slice(most).reduce((sum, { value }) => sum + value, 0);
    const steps = [0];
    for (const { value } of first) steps.push(steps[steps.length - 1] + value);
    const low = Math.min(...steps, total);
    const span = Math.max(...steps, total) - low || 1;
    const at = (value) => (value - low) / span;
    const row = (name, from, to, kind, value, extra = null) => make("tr", { class: extra },
      make("th", { scope: "row" }, name), make("td", { class: "bar" }, bar(at(from), at(to), kind)),
      make("td", { class: "number" }, signed(value, 4)));
    const rows = first.map((term, k) =>
      row(nameOf(term, cell), steps[k], steps[k + 1], term.value < 0 ? "minus" : "plus", term.value));
    if (terms.length > most) {
      const before = steps[steps.length - 1];
      const all = make("button", { type: "button", class: "plain", onclick: () => showCell(Infinity) },
        `${whole(terms.length - most)} smaller terms together: show them`);
      rows.push(row(all, before, total,
        rest < 0 ? "minus" : "plus", rest));
    }
    rows.push(row("together: the prediction", 0, total, total < 0 ? "minus" : "plus", total, "sum"));
    const without = modes.filter((_, n) => unseen[n]).map((mode) => mode.label(cell[mode.number]));
    show(target, 
      make("p", { class: "result", id: "prediction", "data-value": String(total) }, inUnit(shown(total, 5)),
        data.scatter === "" ? null : make("small", {}, ` ${data.scatter} around it`)),
      without.length === 0 ? null : make("p", { class: "quiet" },
        `No entry of ${without.join(", ")} was seen: an average label stands for it.`),
      make("div", { class: "scroll" }, make("table", {},
        make("caption", {}, "Every term of this prediction; each bar begins where the one before ends"),
        headed("term", "", "#adds"), make("tbody", {}, ...rows))));
  };

  const suggest = (n) => {
    const wanted = fields[n].value.trim().toLowerCase();
    const options = [];
    for (let at = 0; at < modes[n].n && options.length < 60; at++) {
      const text = modes[n].label(at);
      if (text.toLowerCase().includes(wanted)) options.push(make("option", { value: text }));
    }
    byId(`labels-${n}`).replaceChildren(...options);
  };
  if (data.explains) {
    fields.forEach((field, n) => {
      field.value = modes[n].label(data.cell[n]);
      field.addEventListener("focus", () => { field.select(); suggest(n); });
      field.addEventListener("input", () => { suggest(n); if (modes[n].find(field.value) >= 0) showCell(); });
      field.addEventListener("change", () => showCell());
    });
    byId("cell-form").addEventListener("submit", (event) => { event.preventDefault(); showCell(); });
    showCell();
  }

  // ---- downloads --------------------------------------------------------------------------------
  // As report/csv.py: text that a spreadsheet would run gets an apostrophe, numbers stay numbers.
  const csvCell = (value) => {
    if (value === null || Number.isNaN(value)) return "";
    if (typeof value === "number") return String(value);
    const text = /^ *[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
    return /[,;"\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (rows) => `\ufeff${rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("")}`;
  const save = (name, rows) => {
    const address = URL.createObjectURL(new Blob([csv(rows)], { type: "text/csv;charset=utf-8" }));
    const link = make("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };
  const factorRows = (mode) => {
    const rows = [[mode.name, "component", "title", "weight", "adds", "std_error", "entries"]];
    for (let at = 0; at < mode.n; at++) {
      for (let k = mode.begins[at]; k < mode.begins[at + 1]; k++) {
        const column = mode.columns[k];
        if (isConstant(mode, column)) continue;
        const about = mode.component.get(column);
        rows.push([mode.label(at), column, mode.title(column), mode.values[k],
          mode.values[k] * (about?.scale ?? 0), mode.errors === null ? null : mode.errors[k],
          mode.counts === null ? null : mode.counts[at]]);
      }
    }
    return rows;
  };
  const labelRows = (mode) => [[mode.name, "entries", "bias"],
    ...Array.from({ length: mode.n }, (_, at) => [mode.label(at),
      mode.counts === null ? null : mode.counts[at], mode.biases === null ? null : mode.biases[at]])];
  const coreRows = () => [[...modes.map(({ name }) => name), "value", "size", "share"],
    ...relations.map((each) => [...each.at, each.value, each.size, each.share])];
  const TABLES = {
    core: () => coreRows(),
    factor: (n) => factorRows(modes[n]),
    labels: (n) => labelRows(modes[n]),
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-table]");
    if (button === null || button === undefined) return;
    const [kind, n] = button.dataset.table.split(" ");
    save(button.dataset.file, TABLES[kind](Number(n)));
  });

  fillComponents();
  pick(Number(pickMode.value), modes[Number(pickMode.value)].components[0]?.number ?? 0, false);
  say("");
  follow();
})();
