// What the widgets share: a form of labelled inputs, a result that is read aloud, a table and a
// drawing. A widget says which fields it has and what it shows for their values.
window.ladderWidget = (() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const OWN = "own"; // the entry "your own setting" of the list of settings

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

  /** A field's input with its label. */
  function inputOf(widget, field) {
    const id = `${widget}-${field.id}`;
    const input = field.options
      ? element("select", { id, name: field.id })
      : element("input", {
          id,
          name: field.id,
          type: "number",
          inputmode: "numeric",
          min: field.min,
          max: field.max,
          step: 1,
        });
    for (const [value, words] of field.options ?? []) {
      input.append(element("option", { value }, words));
    }
    input.value = field.value;
    const style = field.wide ? "widget-field widget-wide" : "widget-field";
    const label = element("label", { for: id }, field.label);
    return [input, element("div", { class: style }, label, input)];
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

  /**
   * Builds a widget in the element with this id.
   * @param fields   [{id, label, min, max, value}] numbers, or {id, label, options, value} lists:
   *   [[value, words]]; wide: on a line of its own
   * @param settings [[words, {field: value}]] to start from; the first is taken at the start
   * @param show     (values, width of the drawing's place in pixels) -> {sentence, rows: [[what,
   *   value]], drawing, caption, unused: ids of fields without effect}; a RangeError says what is
   *   wrong with the values
   * @returns {root, form, refresh(), set(values)}
   */
  function start(id, { fields, settings, show }) {
    const root = document.getElementById(id);
    const form = element("form", { class: "widget-form", "aria-label": "Settings" });
    const inputs = new Map();
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
    for (const field of fields) {
      const [input, labelled] = inputOf(id, field);
      inputs.set(field.id, input);
      form.append(labelled);
    }
    const result = element("p", { class: "widget-result", role: "status", "aria-live": "polite" });
    const rows = element("tbody");
    const picture = element("div", { class: "widget-drawing" });
    const caption = element("figcaption");
    const link = element("a", {}, "Link to this setting");
    root.append(
      form,
      result,
      element("figure", {}, picture, caption),
      element("table", { class: "widget-values" }, rows),
      element("p", { class: "widget-link" }, link),
    );

    function refresh() {
      const values = {};
      let shown;
      result.classList.remove("wrong");
      try {
        for (const field of fields) values[field.id] = valueOf(field, inputs.get(field.id));
        shown = show(values, Math.min(picture.clientWidth || 640, 720));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        result.classList.add("wrong");
        shown = { sentence: error.message, rows: [] };
      }
      for (const [name, input] of inputs) input.disabled = (shown.unused ?? []).includes(name);
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
      link.href = `?${new URLSearchParams(setting)}`;
    }

    function set(values) {
      for (const [name, value] of Object.entries(values)) inputs.get(name).value = value;
      refresh();
    }

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      if (event.target === list) {
        if (list.value !== OWN) set(settings[list.value][1]);
        return;
      }
      list.value = OWN;
      refresh();
    });
    window.addEventListener("resize", refresh);

    // What a link asks for, where there is such an entry or it is a number.
    set(settings[0][1]);
    for (const [name, value] of new URLSearchParams(location.search)) {
      const input = inputs.get(name);
      const isPossible = input?.options
        ? [...input.options].some((option) => option.value === value)
        : /^\d+$/.test(value);
      if (!input || !isPossible) continue;
      input.value = value;
      list.value = OWN;
    }
    refresh();
    return { root, form, refresh, set };
  }

  return {
    Drawing, element, start, number, binaryBytes, decimalBytes, percent, plural,
  };
})();
