// Lanes over sectors: what one load of a warp moves. Formulas: formulas.js.
(() => {
  "use strict";
  const { coalescing, LANES, LINE_BYTES, SECTOR_BYTES } = window.ladderFormulas;
  const { Drawing, start, number, percent, plural } = window.ladderWidget;
  const WORDS = LINE_BYTES / 4; // of a line; a row of the drawing
  const CELL = 20;
  const ROW = 17;
  const LEFT = 84;

  /** [3, 4, 5, 9] as "3-5, 9" */
  function ranges(lanes) {
    const runs = [];
    for (const lane of lanes) {
      const run = runs.at(-1);
      if (run && run[1] === lane - 1) run[1] = lane;
      else runs.push([lane, lane]);
    }
    return runs.map(([a, b]) => (a === b ? `${a}` : `${a}\u2013${b}`)).join(", ");
  }

  /** {word: lanes that read it} */
  function lanesOfWords({ addresses }, bytes) {
    const words = new Map();
    addresses.forEach((address, lane) => {
      const last = Math.floor((address + bytes - 1) / 4);
      for (let word = Math.floor(address / 4); word <= last; word += 1) {
        words.set(word, [...(words.get(word) ?? []), lane]);
      }
    });
    return words;
  }

  /**
   * One row for each line that a full warp touches: its 32 words, with the numbers of the lanes
   * that read them. What the last lane brings stands out while others are still to come.
   */
  function drawing(found, whole, bytes, words) {
    const picture = new Drawing(LEFT + WORDS * CELL + 2, 44 + whole.lines.length * ROW, words, 540);
    const lanes = lanesOfWords(found, bytes);
    const moved = new Set(found.sectors);
    const last = found.addresses.length - 1;
    const isNow = (readers) => last < LANES - 1 && readers.includes(last);
    for (let sector = 0; sector < 4; sector += 1) {
      const x = LEFT + (sector * WORDS * CELL) / 4;
      picture.text(x + WORDS * CELL * 0.125, 14, `sector ${sector}`, "soft", "middle");
    }
    picture.text(LEFT - 8, 30, "line at byte", "soft", "end");
    whole.lines.forEach((line, row) => {
      const y = 38 + row * ROW;
      picture.text(LEFT - 8, y + 12, number(line * LINE_BYTES), "soft small", "end");
      for (let word = 0; word < WORDS; word += 1) {
        const at = line * WORDS + word;
        const readers = lanes.get(at) ?? [];
        const isMoved = moved.has(Math.floor((at * 4) / SECTOR_BYTES));
        const used = isNow(readers) ? "cell most" : "cell used";
        const style = readers.length ? used : isMoved ? "cell moved" : "cell";
        const reader = readers.length
          ? `read by lane${readers.length > 1 ? "s" : ""} ${ranges(readers)}`
          : isMoved
            ? "moved, but read by no lane"
            : "not moved";
        const x = LEFT + word * CELL;
        picture.rect(x, y, CELL, ROW - 2, style, `byte ${at * 4}: ${reader}`);
        if (readers.length === 0) continue;
        const label = readers.length > 1 ? "all" : `${readers[0]}`; // all, where the stride is 0
        picture.text(x + CELL / 2, y + 11, label, "small", "middle");
      }
      for (let sector = 0; sector < 4; sector += 1) {
        const width = (WORDS * CELL) / 4;
        picture.rect(LEFT + sector * width, y, width, ROW - 2, "frame");
      }
    });
    return picture;
  }

  function show({ bytes: size, stride, offset, lanes }) {
    const bytes = Number(size);
    const found = coalescing({ bytes, stride, offset: offset * 4, lanes });
    if (!found.aligned) {
      throw new RangeError(
        `Lane 0 begins at byte ${offset * 4}, which is not a multiple of ${bytes}. On a ` +
          "GPU such a load is an error that ends the kernel; the emulator names its line.",
      );
    }
    const whole = coalescing({ bytes, stride, offset: offset * 4, lanes: LANES });
    const { length } = found.sectors;
    const sentence =
      `${plural(length, "sector")} in ${plural(found.lines.length, "line")}: ` +
      `${number(found.bytesMoved)} bytes move, ${number(found.bytesUsed)} are used, ` +
      `${percent(found.efficiency)}.`;
    return {
      sentence,
      rows: [
        ["32-byte sectors", `${length}, ideal ${found.ideal}`],
        ["128-byte lines", number(found.lines.length)],
        ["Bytes moved", number(found.bytesMoved)],
        ["Bytes used", number(found.bytesUsed)],
        ["Efficiency: used / moved", percent(found.efficiency)],
      ],
      drawing: drawing(found, whole, bytes, sentence),
      caption:
        "One row for each 128-byte line that the full warp touches. The numbers are lanes. Tinted " +
        "words without a number are moved but not used.",
    };
  }

  start("coalescing", {
    fields: [
      {
        id: "bytes",
        label: "Bytes per lane",
        options: [
          [4, "4 (float)"],
          [8, "8 (float2)"],
          [16, "16 (float4)"],
        ],
        value: 4,
      },
      {
        id: "stride",
        label: "Stride, in elements",
        min: 0,
        max: 100000,
        value: 1,
        slider: { max: 32 },
      },
      {
        id: "offset",
        label: "Offset of lane 0, in floats",
        min: 0,
        max: 64,
        value: 0,
        slider: { max: 32 },
      },
      {
        id: "lanes",
        label: "Lanes counted so far",
        min: 1,
        max: 32,
        value: 32,
        slider: {},
      },
    ],
    hint:
      "pull the stride down from 32 to 8, 4, 2 and 1, and watch when the number of sectors begins " +
      "to fall. Play adds the lanes one by one.",
    play: {
      field: "lanes",
      last: () => LANES,
      first: "Lane 0 alone",
      back: "One lane fewer",
      forward: "One lane more",
      play: "Play: lane by lane",
    },
    settings: [
      ["Stride 32: every lane in a line of its own", { bytes: 4, stride: 32, offset: 0, lanes: 32 }],
      ["Rung 02, B: lanes read neighbouring floats", { bytes: 4, stride: 1, offset: 0, lanes: 32 }],
      ["Rung 01, A: neighbouring lanes read neighbouring rows of 4096 floats",
        { bytes: 4, stride: 4096, offset: 0, lanes: 32 },
        "make the stride 32, then 8, 4, 2 and 1: the number of sectors falls late. Play adds the " +
        "lanes one by one."],
      ["Rung 02, A: all lanes read one float", { bytes: 4, stride: 0, offset: 0, lanes: 32 }],
      ["Rung 05, B: a float4 per lane", { bytes: 16, stride: 1, offset: 0, lanes: 32 }],
      ["One of 8 fields of a record", { bytes: 4, stride: 8, offset: 0, lanes: 32 }],
      ["A row that begins one float late", { bytes: 4, stride: 1, offset: 1, lanes: 32 }],
    ],
    show,
  });
})();
