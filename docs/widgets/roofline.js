// The roofline of a GPU with the recorded rungs, and with results that the reader brings. Formulas:
// formulas.js; cards and recorded climbs: data.js.
(() => {
  "use strict";
  const F = window.ladderFormulas;
  const { Drawing, element, start, number, percent, plural } = window.ladderWidget;
  const { cards, points, recorded } = window.ladderData;
  const PRECISIONS = [
    ["fp32", "FP32"],
    ["tf32", "TF32, tensor cores"],
    ["bf16", "BF16, tensor cores"],
  ];
  const LEFT = 46;
  const TOP = 26;
  const BOTTOM = 380;
  let own = null; // what the reader brought: {device, points, file}

  const sizes = [...new Set(points.map(({ size }) => size))];
  const words = (name) => name.replace(/_/g, " ");

  /** The recorded points that are asked for, each with its FLOP per byte. */
  function recordedPoints({ shown, place }) {
    return points
      .filter(({ size }) => shown === "all" || size === Number(shown))
      .map((point) => {
        const shape = { m: point.size, n: point.size, k: point.size };
        const bytes = place === "counted" ? point.dram_bytes : F.compulsoryBytes(shape);
        return { ...point, ...shape, intensity: bytes && F.flops(shape) / bytes };
      })
      .filter(({ intensity }) => intensity);
  }

  const ownPoints = () =>
    (own?.points ?? []).map((point) => ({
      ...point,
      intensity: F.flops(point) / F.compulsoryBytes(point, { beta: point.beta }),
    }));

  const logScale = (low, high, from, to) => (value) =>
    from + ((Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (to - from);

  /** 1, 2, 5, 10, ... between two numbers; powers of ten alone where that were too many */
  function ticks(low, high) {
    const decades = Math.log10(high / low);
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
      for (const digit of decades > 2.8 ? [1] : [1, 2, 5]) {
        const tick = digit * 10 ** power;
        if (tick >= low && tick <= high) found.push(Number(tick.toPrecision(1)));
      }
    }
    return found;
  }

  function axes(picture, x, y, range, right) {
    for (const tick of ticks(...range.y)) {
      picture.line([[LEFT, y(tick)], [right, y(tick)]], "grid");
      picture.text(LEFT - 8, y(tick) + 4, number(tick), "soft", "end");
    }
    for (const tick of ticks(...range.x)) {
      picture.line([[x(tick), TOP], [x(tick), BOTTOM]], "grid");
      picture.text(x(tick), BOTTOM + 18, number(tick), "soft", "middle");
    }
    picture.text(right, BOTTOM + 38, "FLOP per byte of DRAM", "soft", "end");
    picture.text(LEFT, TOP - 8, "TFLOP/s", "soft");
  }

  /** Where a number of 16 \u00d7 12 pixels may stand beside its dot: [dx, dy of its centre]. */
  const BESIDE = [
    [17, 0],
    [-17, 0],
    [0, -14],
    [0, 14],
  ];

  /** Numbers of rungs beside their dots; those of dots that overlap stand in a column. */
  function labelled(picture, dots, cross, x, y) {
    const points = dots.map((dot) => [x(dot.intensity), y(dot.tflops)]);
    const near = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by) < 10;
    // Centre, half width and half height of what stands there already.
    const taken = [...points.map((point) => [...point, 5, 5]), [...cross, 8, 8]];
    const isFree = (cx, cy) =>
      taken.every(([tx, ty, w, h]) => Math.abs(tx - cx) >= w + 8 || Math.abs(ty - cy) >= h + 5);
    const order = dots.map((_, i) => i).sort((a, b) => points[a][1] - points[b][1]);
    for (const i of order) {
      const [px, py] = points[i];
      const isAlone = points.filter((point) => near(point, points[i])).length === 1;
      const beside = BESIDE.find(([dx, dy]) => isAlone && isFree(px + dx, py + dy));
      let [cx, cy] = beside ? [px + beside[0], py + beside[1]] : [px + 24, py];
      while (!beside && !isFree(cx, cy)) cy += 3;
      if (!beside) picture.line([[px + 5, py], [cx - 9, cy]], "lead");
      taken.push([cx, cy, 8, 6]);
      picture.text(cx, cy + 4, dots[i].name.slice(0, 2), "small", "middle");
    }
  }

  function drawing(width, roof, here, theirs, mine, sentence) {
    const right = width - 34;
    const all = [...theirs, ...mine, here];
    const low = Math.min(0.25, ...all.map(({ intensity }) => intensity / 1.5));
    const high = Math.max(roof.ridge * 8, ...all.map(({ intensity }) => intensity * 1.5));
    const floor = Math.min(
      F.attainableTflops(roof.peak, roof.gbps, low),
      ...all.map(({ tflops }) => tflops / 1.5),
    );
    const range = { x: [low, high], y: [floor, roof.peak * 1.6] };
    const x = logScale(...range.x, LEFT, right);
    const y = logScale(...range.y, BOTTOM, TOP);
    const picture = new Drawing(width, BOTTOM + 46, sentence);
    axes(picture, x, y, range, right);
    const line = ({ peak, gbps }, style) => {
      const knee = F.ridge(peak, gbps);
      const at = (i) => [x(i), y(F.attainableTflops(peak, gbps, i))];
      picture.line([at(low), at(knee), at(high)], style);
    };
    if (roof.measured) line(roof.measured, "roof measured");
    line(roof, "roof");
    picture.line([[x(roof.ridge), y(roof.peak)], [x(roof.ridge), BOTTOM]], "ridge");
    picture.text(x(roof.ridge) + 6, y(roof.peak) + 22, `ridge ${number(roof.ridge, 3)}`, "soft");
    for (const point of theirs) {
      picture.dot(x(point.intensity), y(point.tflops), 4, "recorded", tip(point));
    }
    const [cx, cy] = [x(here.intensity), y(here.tflops)];
    if (new Set(theirs.map(({ size }) => size)).size === 1) {
      const rungs = theirs.filter(({ rung }) => rung > 0);
      labelled(picture, rungs, [cx, cy], x, y);
    }
    for (const point of mine) {
      picture.dot(x(point.intensity), y(point.tflops), 5, "own", tip(point));
    }
    picture.path(`M${cx - 7},${cy}h14M${cx},${cy - 7}v14`, "here");
    return picture;
  }

  const tip = ({ name, m, n, k, tflops, intensity }) =>
    `${words(name)}, ${m} \u00d7 ${n} \u00d7 ${k}: ${number(tflops, 3)} TFLOP/s at ` +
    `${number(intensity, 3)} FLOP per byte`;

  /** What of the reader's points comes nearest to the roof. */
  function ownRows(roof, mine) {
    if (!own) return [];
    const shares = mine.map((point) => ({
      ...point,
      share: point.tflops / F.attainableTflops(roof.peak, roof.gbps, point.intensity),
    }));
    const best = shares.reduce((a, b) => (b.share > a.share ? b : a));
    return [
      ["Your file", `${own.file}, from ${own.device}: ${plural(mine.length, "point")}`],
      [
        "Nearest to this roof",
        `${words(best.name)} at ${best.m} \u00d7 ${best.n} \u00d7 ${best.k}, ${percent(best.share)}`,
      ],
    ];
  }

  function roofOf(card, precision) {
    const peak = F.peakTflops(card, precision);
    const gbps = card.dram_bytes_per_second * 1e-9;
    const isMeasured = card.id === recorded.card && precision === "fp32";
    const { ffma_tflops, dram_gbps } = recorded.roofs;
    return {
      peak,
      gbps,
      ridge: F.ridge(peak, gbps),
      measured: isMeasured ? { peak: ffma_tflops, gbps: dram_gbps } : null,
    };
  }

  function show(values, width) {
    const card = cards.find(({ id }) => id === values.card);
    const { precision, m, n, k } = values;
    const roof = roofOf(card, precision);
    const elementBytes = F.elementBytes[precision];
    const intensity = F.flops({ m, n, k }) / F.compulsoryBytes({ m, n, k }, { elementBytes });
    const tflops = F.attainableTflops(roof.peak, roof.gbps, intensity);
    const theirs = card.id === recorded.card && precision === "fp32" ? recordedPoints(values) : [];
    const mine = ownPoints();
    const sentence =
      `${m} \u00d7 ${n} \u00d7 ${k} has ${number(intensity)} FLOP per byte: at most ` +
      `${number(tflops)} TFLOP/s, limited by ${intensity < roof.ridge ? "memory" : "arithmetic"}.`;
    const rows = [
      ["Peak", `${number(roof.peak)} TFLOP/s`],
      ["DRAM", `${number(roof.gbps)} GB/s`],
      ["Ridge point", `${number(roof.ridge)} FLOP per byte`],
      ["Shortest time for this shape", `${number((F.flops({ m, n, k }) / tflops) * 1e-9, 3)} ms`],
      ...ownRows(roof, mine),
    ];
    const protocols = [...new Set(theirs.map(({ protocol }) => protocol))];
    const dots = protocols.length
      ? ` Dots: ${recorded.provenance}, ${protocols.join(" or ")} protocol.`
      : values.shown === "none"
        ? ""
        : " Nsight Compute did not count bytes at this size.";
    const of = roof.measured
      ? ` Dashed: measured, ${number(roof.measured.peak, 3)} TFLOP/s and ` +
        `${number(roof.measured.gbps, 3)} GB/s.${dots}`
      : " There are recorded points only for the H200 in FP32.";
    return {
      sentence,
      rows,
      drawing: drawing(width, roof, { intensity, tflops }, theirs, mine, sentence),
      caption: `The cross is your shape.${of}${own ? " Rings: your file." : ""}`,
    };
  }

  const square = (size) => ({ m: size, n: size, k: size });
  const extent = (id, label) => ({
    id,
    label,
    min: 1,
    max: 1000000,
    value: 4096,
    slider: { max: 8192 },
  });
  const common = { card: "h200", precision: "fp32", shown: "4096", place: "any", ...square(4096) };
  const widgets = start("roofline", {
    hint: "pull M down towards 1: at which M does memory become the limit?",
    fields: [
      { id: "card", label: "GPU", options: cards.map(({ id, name }) => [id, name]), value: "h200" },
      { id: "precision", label: "Precision", options: PRECISIONS, value: "fp32" },
      extent("m", "M"),
      extent("n", "N"),
      extent("k", "K"),
      {
        id: "shown",
        label: "Recorded rungs, M = N = K",
        options: [
          ...sizes.map((size) => [size, `${size}`]),
          ["all", "all of these"],
          ["none", "none"],
        ],
        value: "4096",
      },
      {
        id: "place",
        label: "Place them by",
        options: [
          ["any", "the bytes that any GEMM must move"],
          ["counted", "the bytes that Nsight Compute counted"],
        ],
        value: "any",
      },
    ],
    settings: [
      ["Square, 4096", common],
      ["The same, by the bytes that were counted", { ...common, place: "counted" }],
      ["One row: M = 1, a vector times a matrix", { ...common, m: 1 }],
      ["Square, 512", { ...common, ...square(512), shown: "512" }],
      ["BF16 on tensor cores, 4096", { ...common, precision: "bf16" }],
      ["BF16, 16 rows of a language model", { ...common, precision: "bf16", m: 16 }],
      ["T4, 4096", { ...common, card: "t4" }],
    ],
    show,
  });

  // -- The reader's file ---------------------------------------------------------------------

  function takeFiles(widget) {
    const accept = ".json,application/json";
    const input = element("input", { id: `${widget.root.id}-file`, type: "file", accept });
    const said = element("p", { class: "widget-said", role: "status", "aria-live": "polite" });
    const zone = element(
      "div",
      { class: "widget-drop" },
      element("label", { for: input.id }, "Your results: choose or drop a JSON file"),
      input,
      said,
    );
    widget.form.after(zone);

    async function take(file) {
      said.classList.remove("wrong");
      try {
        own = { ...F.readResults(await file.text()), file: file.name };
      } catch (error) {
        own = null;
        said.classList.add("wrong");
        said.textContent = `${file.name}: ${error.message}`;
        widget.refresh();
        return;
      }
      const card = F.cardOf(own.device, cards);
      said.textContent =
        `${file.name}: ${plural(own.points.length, "point")} from ${own.device}. ` +
        (card
          ? `The roof is that of the card ${card.name}.`
          : "There is no card of this GPU here; the roof is that of the GPU chosen above.");
      widget.set({ ...(card ? { card: card.id } : {}), precision: "fp32" });
    }

    input.addEventListener("change", () => {
      if (input.files.length) take(input.files[0]);
    });
    for (const name of ["dragover", "dragleave", "drop"]) {
      widget.root.addEventListener(name, (event) => {
        event.preventDefault();
        zone.classList.toggle("over", name === "dragover");
        if (name === "drop" && event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
      });
    }
  }

  widgets.forEach(takeFiles);
})();
