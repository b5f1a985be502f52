// Words over the 32 banks of shared memory: how many passes one request of a warp takes. The rule
// is in formulas.js.
(() => {
  "use strict";
  const { BANKS, LANES, sharedWords, wavefronts } = window.ladderFormulas;
  const { Drawing, start, number, plural } = window.ladderWidget;
  const CELL = 20;
  const ROW = 20;
  const LEFT = 92;
  const RIGHT = 122;

  const WITH_COLUMNS = ["operandA", "operandB", "block"];

  /** For each group of lanes: how many distinct words it wants of each bank, and the most. */
  function drawGroups(picture, groups, top) {
    picture.text(LEFT - 8, top - 8, "bank", "soft", "end");
    for (let bank = 0; bank < BANKS; bank += 1) {
      picture.text(LEFT + (bank + 0.5) * CELL, top - 8, `${bank}`, "small soft", "middle");
    }
    groups.forEach(({ lanes, words, passes }, i) => {
      const y = top + i * ROW;
      const span = groups.length === 1 ? "all lanes" : `lanes ${lanes[0]}\u2013${lanes.at(-1)}`;
      picture.text(LEFT - 8, y + 14, span, "soft", "end");
      words.forEach((count, bank) => {
        const isMost = count === passes && passes > 1;
        const style = count === 0 ? "cell" : isMost ? "cell most" : "cell used";
        const x = LEFT + bank * CELL;
        picture.rect(x, y, CELL, ROW - 3, style, `bank ${bank}: ${plural(count, "distinct word")}`);
        if (count) picture.text(x + CELL / 2, y + 13, `${count}`, "small", "middle");
      });
      picture.text(LEFT + BANKS * CELL + 8, y + 14, plural(passes, "wavefront"), "strong");
    });
  }

  /** The touched rows of 32 words, as they lie in memory, with the lanes that read them. */
  function drawMemory(picture, words, width, top) {
    const lanes = new Map();
    words.forEach((first, lane) => {
      for (let word = first; word < first + width; word += 1) {
        lanes.set(word, [...(lanes.get(word) ?? []), lane]);
      }
    });
    touchedRows(words, width).forEach((row, i) => {
      const y = top + i * ROW;
      picture.text(LEFT - 8, y + 14, `word ${number(row * BANKS)}`, "soft", "end");
      for (let bank = 0; bank < BANKS; bank += 1) {
        const readers = lanes.get(row * BANKS + bank) ?? [];
        const x = LEFT + bank * CELL;
        const style = readers.length ? "cell used" : "cell";
        const tip = readers.length ? `lanes ${readers.join(", ")}` : "no lane";
        picture.rect(x, y, CELL, ROW - 3, style, `bank ${bank}: ${tip}`);
        if (readers.length === 0) continue;
        const first = `${readers[0]}${readers.length > 1 ? "+" : ""}`;
        const label = readers.length === LANES ? "all" : first;
        const size = label.length > 2 ? "small tiny" : "small";
        picture.text(x + CELL / 2, y + 13, label, size, "middle");
      }
    });
  }

  /** Rows of 32 words, ascending. */
  function touchedRows(words, width) {
    const rows = words.flatMap((word) => [word, word + width - 1]);
    return [...new Set(rows.map((word) => Math.floor(word / BANKS)))].sort((a, b) => a - b);
  }

  function drawing(words, width, { groups }, sentence) {
    const memoryTop = 62 + groups.length * ROW;
    const height = memoryTop + touchedRows(words, width).length * ROW + 2;
    const picture = new Drawing(LEFT + BANKS * CELL + RIGHT, height, sentence, 600);
    drawGroups(picture, groups, 24);
    picture.text(LEFT, memoryTop - 8, "The words in memory, and the lanes that want them", "soft");
    drawMemory(picture, words, width, memoryTop);
    return picture;
  }

  function show(values) {
    const width = Number(values.width);
    const store = values.access === "transpose" || values.operation === "store";
    const words = sharedWords({ ...values, width, laneColumns: Number(values.laneColumns) });
    const offsets = words.map((word) => 4 * word);
    const found = wavefronts({ offsets, bytes: 4 * width, store });
    const wordsOf = (first) => Array.from({ length: width }, (_, i) => first + i);
    const wanted = new Set(words.flatMap(wordsOf));
    const merged = !store && width > 1 && found.groups.length === width / 2;
    const sentence =
      `${plural(found.wavefronts, "wavefront")}, ideal ${found.ideal}: ` +
      (found.wavefronts === found.ideal
        ? "no bank conflicts."
        : `bank conflicts add ${number(found.wavefronts - found.ideal)}.`);
    const rows = [
      ["Wavefronts", `${found.wavefronts}, ideal ${found.ideal}`],
      ["Distinct words", number(wanted.size)],
      ["Groups of lanes, served in turn", number(found.groups.length)],
      ["Wavefronts of each group", found.groups.map((group) => group.passes).join(" + ")],
    ];
    if (merged) rows.push(["Why fewer groups", "lanes share their addresses in pairs"]);
    if (WITH_COLUMNS.includes(values.access)) {
      const columns = Number(values.laneColumns);
      rows.push(["Lanes", `${LANES / columns} rows \u00d7 ${columns} columns`]);
    }
    return {
      sentence,
      rows,
      unused: [
        ...(WITH_COLUMNS.includes(values.access) ? [] : ["laneColumns"]),
        ...(values.access === "transpose" ? ["operation"] : []),
      ],
      drawing: drawing(words, width, found, sentence),
      caption:
        "Top: how many different words each group of lanes wants from each bank. The largest " +
        "number is the group's wavefronts. Bottom: each row is 32 neighbouring words, one per " +
        "bank. The numbers are lanes; a + means that other lanes want the same word.",
    };
  }

  const array = { rowLength: 32, padding: 0, swizzle: "none" };
  const common = { ...array, width: 1, operation: "load", laneColumns: 8 };
  start("banks", {
    hint:
      "give each row one float of padding, then two, then four, and watch the wavefronts. Then " +
      "read by float4.",
    fields: [
      {
        id: "rowLength",
        label: "Floats in a row",
        min: 1,
        max: 1024,
        value: 32,
        slider: { min: 16, max: 128, step: 16 },
      },
      {
        id: "padding",
        label: "Padding after a row, in floats",
        min: 0,
        max: 64,
        value: 0,
        slider: { max: 32 },
      },
      {
        id: "swizzle",
        label: "Swizzle",
        options: [
          ["none", "none"],
          ["word", "float c at c xor (row mod 32)"],
          ["float4", "float4 c at c xor (row mod 8)"],
        ],
        value: "none",
      },
      {
        id: "access",
        label: "Each lane accesses",
        wide: true,
        options: [
          ["row", "the next element of the row"],
          ["column", "the start of a row of its own: the lanes go down a column"],
          ["block", "its element of a block of rows and columns"],
          ["operandA", "operand A: the element for the lane's row in the warp"],
          ["operandB", "operand B: the element for the lane's column in the warp"],
          ["transpose", "rung 05's store of A: row 4 (l mod 2), column l / 2"],
          ["same", "the same element as all other lanes"],
        ],
        value: "row",
      },
      {
        id: "width",
        label: "Floats per lane",
        options: [
          [1, "1 (4 bytes)"],
          [2, "2 (8 bytes)"],
          [4, "4 (16 bytes)"],
        ],
        value: 1,
      },
      {
        id: "laneColumns",
        label: "Columns of lanes in the warp",
        options: [1, 2, 4, 8, 16, 32].map((columns) => [columns, `${columns}`]),
        value: 8,
      },
      {
        id: "operation",
        label: "Operation",
        options: [
          ["load", "load"],
          ["store", "store"],
        ],
        value: "load",
      },
    ],
    settings: [
      ["A column of 32 \u00d7 32 floats: all in one bank", { ...common, access: "column" }],
      ["The same with one float of padding", { ...common, access: "column", padding: 1 }],
      ["The same with a swizzle", { ...common, access: "column", swizzle: "word" }],
      ["A row of 32 floats", { ...common, access: "row" }],
      ["Rung 05, store of A: transposing, padded by 4",
        { ...common, rowLength: 128, padding: 4, access: "transpose", operation: "store" }],
      ["Rung 07, operand A: 2 \u00d7 16 lanes, float4",
        { ...common, rowLength: 128, padding: 4, access: "operandA", width: 4, laneColumns: 16 }],
      ["Rung 07, operand B: 2 \u00d7 16 lanes, float4",
        { ...common, rowLength: 128, access: "operandB", width: 4, laneColumns: 16 }],
      ["Rung 08, operand A: 8 \u00d7 4 lanes, float4",
        { ...common, rowLength: 128, padding: 4, access: "operandA", width: 4, laneColumns: 4 }],
      ["Rung 08, operand B: 8 \u00d7 4 lanes, float4",
        { ...common, rowLength: 128, access: "operandB", width: 4, laneColumns: 4 }],
      ["A column of float4, swizzled",
        { ...common, access: "column", width: 4, swizzle: "float4" }],
    ],
    show,
  });
})();
