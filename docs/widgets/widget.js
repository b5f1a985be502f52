// What the widgets share: a form of labelled inputs, a result that is read aloud, a table and a
// drawing. A widget says which fields it has and what it shows for their values.
window.ladderWidget = (() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const OWN = "own"; // the entry "your own setting" of the list of settings
  const LONG = 26; // letters of a list's entry: more are cut off in one column

  /** An element with attributes; children are elements or texts. */
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const round = (value) => Math.round(value * 10) / 10;

  /** A picture. Colours are classes of widgets.css. */
  class Drawing {
    /** words: for readers who cannot see it; smallest: width in pixels below which it scrolls */
    constructor(width, height, words, smallest = 0) {
      Object.assign(this, { width, height });
      this.svg = document.createElementNS(SVG, "svg");
      const attributes = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words };
      for (const [key, value] of Object.entries(attributes)) this.svg.setAttribute(key, value);
      if (smallest) this.svg.style.minWidth = `${smallest}px`;
      this.svg.style.maxWidth = `${1.2 * width}px`;
    }

    add(name, attributes, words = "", title = "") {
      const made = document.createElementNS(SVG, name);
      for (const [key, value] of Object.entries(attributes)) {
        made.setAttribute(key, typeof value === "number" ? round(value) : value);
      }
      made.append(words);
      if (title) {
        const tip = document.createElementNS(SVG, "title");
        tip.append(title);
        made.append(tip);
      }
      this.svg.append(made);
      return made;
    }

    rect(x, y, width, height, style, title = "") {
      return this.add("rect", { x, y, width, height, class: style }, "", title);
    }

    /** place: "start", "middle" or "end" of the words is at x */
    text(x, y, words, style = "", place = "start") {
      return this.add("text", { x, y, class: style, "text-anchor": place }, words);
    }

    path(d, style) {
      return this.add("path", { d, class: style });
    }

    /** points: [[x, y]] */
    line(points, style) {
      return this.path(`M${points.map((point) => point.map(round).join(",")).join("L")}`, style);
    }

    dot(x, y, r, style, title = "") {
      return this.add("circle", { cx: x, cy: y, r, class: style }, "", title);
    }
  }

  // -- Numbers as words ----------------------------------------------------------------------

  /** Four digits, or all of a whole number; thousands stand apart. */
  function number(value, digits = 4) {
    const text = Number.isInteger(value) ? `${value}` : `${Number(value.toPrecision(digits))}`;
    const [whole, fraction] = text.split(".");
    const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
    return fraction ? `${grouped}.${fraction}` : grouped;
  }

  const inUnits = (value, base, units) => {
    let place = 0;
    for (; value >= base && place < units.length - 1; place += 1) value /= base;
    return `${number(value, 3)}\u00a0${units[place]}`;
  };
  const binaryBytes = (value) => inUnits(value, 1024, ["bytes", "KiB", "MiB", "GiB"]);
  const decimalBytes = (value) => inUnits(value, 1000, ["bytes", "kB", "MB", "GB", "TB"]);
  const percent = (share) => `${number(100 * share, 3)}\u00a0%`;
  const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

  // -- The form ------------------------------------------------------------------------------

  /**
   * A field's input with its label, and beside a number a slider over its usual range.
   * @returns {input, slider (undefined for lists), labelled}
   */
  function inputOf(widget, field) {
    const id = `${widget}-${field.id}`;
    const label = element("label", { for: id }, field.label);
    const { min, max } = field;
    let input;
    let slider;
    if (field.options) {
      input = element("select", { id, name: field.id });
      for (const [value, words] of field.options) input.append(element("option", { value }, words));
    } else {
      const number = { type: "number", inputmode: "numeric", step: 1 };
      input = element("input", { id, name: field.id, min, max, ...number });
    }
    if (field.slider) {
      const range = { type: "range", min, max, step: 1, ...field.slider };
      const words = { id: `${id}-slider`, "aria-label": `${field.label}, slider` };
      slider = element("input", { ...range, ...words });
    }
    const isLong = field.options?.some(([, words]) => words.length > LONG);
    const style = field.wide ? " widget-wide" : isLong ? " widget-long" : "";
    const row = element("div", { class: "widget-input" }, input, ...(slider ? [slider] : []));
    const labelled = element("div", { class: `widget-field${style}` }, label, row);
    return { input, slider, labelled };
  }

  /** The value of an input; throws a RangeError that names the field. */
  function valueOf(field, input) {
    if (field.options) return input.value;
    const value = Number(input.value);
    const isRight =
      input.value !== "" && Number.isInteger(value) && value >= field.min && value <= field.max;
    input.toggleAttribute("aria-invalid", !isRight);
    if (isRight) return value;
    const range = `${number(field.min)} to ${number(field.max)}`;
    throw new RangeError(`${field.label}: a whole number from ${range}, please.`);
  }

  // -- Playing -------------------------------------------------------------------------------

  const PLAY_MS = 7000; // from the first step to the last, or a little longer
  const SLOWEST_MS = 700; // per step
  const MOST_FRAMES = 48; // more steps than that are taken several at a time
  const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

  /**
   * Buttons that walk a field from 1 to its last value. Readers who ask for less motion get no
   * "Play".
   * @param last  () -> the last value now, or 0 where there is nothing to walk
   * @param get,set  the field's value
   */
  function player({ first, back, forward, play }, { last, get, set }) {
    const row = element("div", { class: "widget-play", role: "group", "aria-label": "Step by step" });
    const button = (words, label) => {
      const made = element("button", { type: "button", "aria-label": label, title: label }, words);
      row.append(made);
      return made;
    };
    const buttons = {
      first: button("|\u25c0\ufe0e", first),
      back: button("\u25c0\ufe0e", back),
      play: button("\u25b6\ufe0e Play", play),
      forward: button("Step \u25b6\ufe0e", forward),
    };
    const place = element("span", { class: "widget-place" });
    row.append(place);
    let timer = 0;

    function stop() {
      clearTimeout(timer);
      timer = 0;
    }
    function walk() {
      const stride = Math.max(1, Math.ceil(last() / MOST_FRAMES));
      const frames = Math.ceil(last() / stride);
      const next = Math.min(last(), get() + stride);
      if (next < last()) timer = setTimeout(walk, Math.min(SLOWEST_MS, PLAY_MS / frames));
      else stop();
      set(next);
    }
    function refresh() {
      const end = last();
      const at = get();
      row.hidden = end < 2;
      buttons.play.hidden = isStill();
      buttons.play.textContent = timer ? "\u275a\u275a Pause" : "\u25b6\ufe0e Play";
      for (const name of ["first", "back"]) buttons[name].disabled = at <= 1;
      buttons.forward.disabled = at >= end;
      place.textContent = `${number(Math.min(at, end))} of ${number(end)}`;
    }
    const go = (value) => {
      stop();
      set(Math.max(1, Math.min(last(), value)));
    };
    buttons.first.addEventListener("click", () => go(1));
    buttons.back.addEventListener("click", () => go(get() - 1));
    buttons.forward.addEventListener("click", () => go(get() + 1));
    buttons.play.addEventListener("click", () => {
      if (timer) return go(get());
      timer = setTimeout(walk, SLOWEST_MS);
      set(get() >= last() ? 1 : get());
    });
    return { row, refresh, stop, isPlaying: () => timer !== 0 };
  }

  // -- The widget ----------------------------------------------------------------------------

  /** Builds a widget in each element of the page that asks for this kind. */
  function start(kind, definition) {
    const found = [...document.querySelectorAll(`.widget[data-widget="${kind}"]`)];
    return found.map((root) => build(root, definition));
  }

  /**
   * Builds a widget.
   * @param fields   [{id, label, min, max, value}] numbers, or {id, label, options, value} lists:
   *   [[value, words]]; slider: {min, max, step} of the usual range; wide: on a line of its own;
   *   folded: among "More settings"
   * @param settings [[words, {field: value}, hint]] to start from; the first is taken at the start
   * @param hint     a sentence: what to try first, if the setting has none of its own
   * @param play     {field, last(values), first, back, forward, play}: the field that buttons walk
   *   from 1 to last, and what the buttons say
   * @param show     (values, width of the drawing's place in pixels) -> {sentence, rows: [[what,
   *   value]], drawing, caption, unused: ids of fields without effect}; a RangeError says what is
   *   wrong with the values
   * @returns {root, form, refresh(), set(values)}
   */
  function build(root, { fields, settings, hint, play, show }) {
    const { id } = root;
    const form = element("form", { class: "widget-form", "aria-label": "Settings" });
    const inputs = new Map();
    const sliders = new Map();
    const list = element("select", { id: `${id}-setting` });
    settings.forEach(([words], i) => list.append(element("option", { value: i }, words)));
    list.append(element("option", { value: OWN }, "your own setting"));
    form.append(
      element(
        "div",
        { class: "widget-field widget-wide" },
        element("label", { for: list.id }, "Start from"),
        list,
      ),
    );
    const folded = element("div", { class: "widget-form" });
    for (const field of fields) {
      const { input, slider, labelled } = inputOf(id, field);
      input.value = field.value;
      inputs.set(field.id, input);
      if (slider) sliders.set(field.id, slider);
      (field.folded ? folded : form).append(labelled);
    }
    const fold = element("details", { class: "widget-wide" }, element("summary", {}, "More settings"));
    fold.append(folded);
    if (folded.children.length) form.append(fold);
    const result = element("p", { class: "widget-result", role: "status", "aria-live": "polite" });
    const rows = element("tbody");
    const picture = element("div", { class: "widget-drawing" });
    const caption = element("figcaption");
    const link = element("a", {}, root.dataset.page ? "Open it on a page of its own" : "Link to this setting");
    const tried = element("span");
    let values = {};
    const steps = play && player(play, {
      last: () => (Object.keys(values).length ? play.last(values) : 0),
      get: () => Number(inputs.get(play.field).value),
      set: (value) => set({ [play.field]: value }),
    });
    root.append(
      element("p", { class: "widget-hint" }, element("strong", {}, "Try: "), tried),
      form,
      result,
      ...(steps ? [steps.row] : []),
      element("figure", {}, picture, caption),
      element("table", { class: "widget-values" }, rows),
      element("p", { class: "widget-link" }, link),
    );

    function refresh() {
      let shown;
      values = {};
      result.classList.remove("wrong");
      try {
        const given = {};
        for (const field of fields) given[field.id] = valueOf(field, inputs.get(field.id));
        shown = show(given, Math.min(picture.clientWidth || 640, 720));
        values = given;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        result.classList.add("wrong");
        shown = { sentence: error.message, rows: [] };
      }
      if (steps && values[play.field]) {
        const slider = sliders.get(play.field);
        if (slider) slider.max = Math.max(1, play.last(values));
      }
      for (const [name, input] of inputs) input.disabled = (shown.unused ?? []).includes(name);
      for (const [name, slider] of sliders) {
        slider.value = inputs.get(name).value;
        slider.disabled = inputs.get(name).disabled;
      }
      // What is read aloud while it plays would never end.
      result.setAttribute("aria-live", steps?.isPlaying() ? "off" : "polite");
      result.textContent = shown.sentence;
      rows.replaceChildren(
        ...shown.rows.map(([what, value]) =>
          element("tr", {}, element("th", { scope: "row" }, what), element("td", {}, value)),
        ),
      );
      rows.parentElement.hidden = shown.rows.length === 0;
      picture.replaceChildren(...(shown.drawing ? [shown.drawing.svg] : []));
      caption.textContent = shown.caption ?? "";
      // What does not fit scrolls, also by the keys.
      const scrolls = picture.scrollWidth > picture.clientWidth;
      if (scrolls) picture.setAttribute("tabindex", 0);
      else picture.removeAttribute("tabindex");
      const setting = [...inputs].map(([name, input]) => [name, input.value]);
      link.href = `${root.dataset.page ?? ""}?${new URLSearchParams(setting)}`;
      steps?.refresh();
    }

    /** Shows in the list which setting the form holds, and its hint. */
    function nameSetting() {
      const holds = ([, given]) =>
        fields.every(({ id: name }) => inputs.get(name).value === `${given[name]}`);
      const found = settings.findIndex(holds);
      list.value = found < 0 ? OWN : found;
      tried.textContent = settings[found]?.[2] ?? hint;
    }

    function set(given) {
      for (const [name, value] of Object.entries(given)) inputs.get(name).value = value;
      refresh();
    }

    form.addEventListener("submit", (event) => event.preventDefault());
    const changed = ({ target }) => {
      steps?.stop();
      if (target === list) {
        if (list.value === OWN) return;
        set(settings[list.value][1]);
        nameSetting();
        return;
      }
      for (const [name, slider] of sliders) {
        if (target === slider) inputs.get(name).value = slider.value;
      }
      list.value = OWN;
      refresh();
    };
    form.addEventListener("input", changed);
    form.addEventListener("change", changed);
    window.addEventListener("resize", refresh);

    set(settings[0][1]);
    // What the page asks for: data-stride="8". A name that is none is its author's mistake.
    for (const [name, value] of Object.entries(root.dataset)) {
      if (name === "widget" || name === "page") continue;
      const own = [...inputs.keys()].find((input) => input.toLowerCase() === name);
      if (!own || !isPossible(inputs.get(own), value)) {
        throw new Error(`${id}: ${name}=${value} is no setting of this widget`);
      }
      inputs.get(own).value = value;
    }
    // What a link asks for, where there is such an entry or it is a number.
    for (const [name, value] of root.dataset.page ? [] : new URLSearchParams(location.search)) {
      const input = inputs.get(name);
      if (!input || !isPossible(input, value)) continue;
      input.value = value;
    }
    nameSetting();
    refresh();
    return { root, form, refresh, set };
  }

  /** Is there such an entry in a list, or is it a whole number? */
  const isPossible = (input, value) =>
    input.options
      ? [...input.options].some((option) => option.value === value)
      : /^\d+$/.test(value);

  return {
    Drawing, element, start, number, binaryBytes, decimalBytes, percent, plural,
  };
})();
