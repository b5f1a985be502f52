// The order of blocks: which panels of A and B the tiles of a wave share. Formulas: formulas.js.
(() => {
  "use strict";
  const F = window.ladderFormulas;
  const { Drawing, start, number, percent, plural } = window.ladderWidget;
  const { decimalBytes, binaryBytes } = window.ladderWidget;
  const { cards } = window.ladderData;
  const MOST_TILES = 300000; // more would take a second

  const bandOf = ({ order, band }, rows) => ({ row: 1, column: rows, band })[order];

  /** A rectangle of a path. */
  const box = (x, y, width, height) =>
    `M${x.toFixed(1)},${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}` +
    `h${(-width).toFixed(1)}z`;

  /** The grid of tiles with those of the wave, and the panels that they touch. */
  function drawing(room, order, found, words) {
    const { rows, columns } = order;
    const side = Math.min((room - 70) / columns, 400 / rows, 28);
    const gutter = 34;
    const left = gutter + 24;
    const top = gutter + 6;
    const width = columns * side;
    const height = rows * side;
    const picture = new Drawing(
      Math.max(left + width + 8, Math.min(room, 320)), // room for the words above it
      top + Math.max(height, 110) + 8,
      words,
    );
    picture.text(left, 12, `B: ${plural(found.panelsB.length, "panel")} of ${columns}`, "soft");
    const panels = `A: ${plural(found.panelsA.length, "panel")} of ${rows}`;
    const title = picture.text(0, 0, panels, "soft", "end");
    title.setAttribute("transform", `translate(12 ${top}) rotate(-90)`);
    picture.rect(left, gutter - 14, width, 14, "frame");
    picture.rect(left - 20, top, 14, height, "frame");
    const inner = side > 6 ? side - 1 : side; // a gap between tiles
    const boxes = (places) => places.map((place) => box(...place)).join("");
    const x = (column) => left + column * side;
    const y = (row) => top + row * side;
    const upper = gutter - 14;
    picture.path(boxes(found.panelsB.map((column) => [x(column), upper, inner, 14])), "panel");
    picture.path(boxes(found.panelsA.map((row) => [left - 20, y(row), 14, inner])), "panel");
    picture.rect(left, top, width, height, "frame");
    picture.path(boxes(found.before.map(([row, column]) => [x(column), y(row), inner, inner])), "done");
    picture.path(
      boxes(found.tiles.map(([row, column]) => [x(column), y(row), inner, inner])),
      "wave",
    );
    if (side > 3) {
      const centre = ([row, column]) => [x(column + 0.5), y(row + 0.5)];
      picture.line(found.tiles.map(centre), "order");
      picture.dot(...centre(found.tiles[0]), Math.max(3, side / 5), "start", "the first tile");
    }
    return picture;
  }

  function show(values, width) {
    const { m, n, k, BM, BN, blocks } = values;
    const card = cards.find(({ id }) => id === values.card);
    const bytes = Number(values.bytes);
    const atOnce = blocks * card.sms;
    const { rows, columns, tiles, waves } = F.tileWaves({ m, n, BM, BN, atOnce });
    if (tiles > MOST_TILES) {
      throw new RangeError(`${number(tiles)} tiles are too many to count here; take larger tiles.`);
    }
    if (values.wave > waves) {
      throw new RangeError(`There is no wave ${values.wave}: C takes ${plural(waves, "wave")}.`);
    }
    const order = { rows, columns, band: bandOf(values, rows), atOnce, BM, BN, k, bytes };
    const found = F.waveOf({ ...order, wave: values.wave - 1 });
    const done = (values.wave - 1) * atOnce;
    found.before = Array.from({ length: done }, (_, i) => F.tileAt(i, order));
    const all = F.allWaves(order);
    const once = (m * k + k * n) * bytes;
    const sentence =
      `Wave ${values.wave} of ${waves} has ${plural(found.tiles.length, "tile")} for ` +
      `${number(atOnce)} places. It reads ${plural(found.panelsA.length, "panel")} of A and ` +
      `${plural(found.panelsB.length, "panel")} of B, ${decimalBytes(found.read)}. Its blocks ask ` +
      `L2 for ${decimalBytes(found.asked)}, so the hit rate is ${percent(found.hitRate)}.`;
    return {
      sentence,
      rows: [
        ["Blocks at a time", `${blocks} \u00d7 ${card.sms} SMs = ${number(atOnce)}`],
        ["Waves", number(waves)],
        ["Tiles in this wave", number(found.tiles.length)],
        ["Places that it fills", percent(found.tiles.length / atOnce)],
        ["Its blocks ask L2 for", decimalBytes(found.asked)],
        ["Distinct bytes among them", decimalBytes(found.read)],
        ["L2 of this card", binaryBytes(card.l2_bytes)],
        ["A and B, each read once", decimalBytes(once)],
        ["All waves, if none reuses what another left", `${decimalBytes(all.read)} from DRAM`],
        ["That is, compared with A and B read once", `${number(all.read / once, 3)}x`],
        ["Hit rate over all waves", percent(all.hitRate)],
      ],
      unused: values.order === "band" ? [] : ["band"],
      drawing: drawing(width, order, found, sentence),
      caption:
        "The tiles of C in this wave; paler tiles are done. The line shows their order, beginning " +
        "at the dot. At the edges are the panels of A and B that the wave reads.",
    };
  }

  const ranged = (id, label, [min, max], value, slider) => ({ id, label, min, max, value, slider });
  const folded = (field) => ({ ...field, folded: true });
  const extent = (id, label) =>
    ranged(id, label, [1, 100000], 1, { min: 128, max: 16384, step: 128 });
  const wavesOf = ({ card, blocks, ...order }) =>
    F.tileWaves({ ...order, atOnce: blocks * cards.find(({ id }) => id === card).sms }).waves;
  const square = (size) => ({ m: size, n: size, k: size });
  const h200 = { card: "h200", BM: 128, BN: 128, blocks: 2, bytes: 4, wave: 1, band: 16 };
  const common = { ...h200, ...square(4096) };
  start("waves", {
    hint:
      "start from rung 06 at 16384, then from rung 07, and compare the hit rates. Play shows how " +
      "wave after wave fills C.",
    play: {
      field: "wave",
      last: wavesOf,
      first: "The first wave",
      back: "The previous wave",
      forward: "The next wave",
      play: "Play: wave by wave",
    },
    fields: [
      { id: "card", label: "GPU", options: cards.map(({ id, name }) => [id, name]), value: "h200" },
      ranged("blocks", "Blocks per SM", [1, 32], 2, { max: 8 }),
      {
        id: "order",
        label: "Order of blocks",
        options: [
          ["row", "along rows"],
          ["column", "along columns"],
          ["band", "in bands of rows"],
        ],
        value: "row",
      },
      ranged("band", "Tile rows in a band", [1, 512], 16, { max: 64 }),
      ranged("wave", "Wave", [1, 100000], 1, {}),
      folded(ranged("BM", "BM, rows of a tile", [8, 1024], 128, { min: 32, max: 256, step: 32 })),
      folded(ranged("BN", "BN, its columns", [8, 1024], 128, { min: 32, max: 256, step: 32 })),
      extent("m", "M"),
      extent("n", "N"),
      folded(extent("k", "K")),
      folded({
        id: "bytes",
        label: "Bytes per element",
        options: [
          [4, "4 (FP32)"],
          [2, "2 (BF16)"],
        ],
        value: 4,
      }),
    ],
    settings: [
      ["2176: a last wave of 25 tiles", { ...common, ...square(2176), order: "row", wave: 2 },
        "step back to wave 1, which fills all 264 places. Then make M and N a little smaller: " +
        "where does the second wave end? For hit rates, start from rung 06 at 16384."],
      ["Rung 06 at 4096: along rows", { ...common, order: "row" }],
      ["Rung 07 at 4096: bands of 16", { ...common, order: "band" }],
      ["Rung 06 at 16384", { ...common, ...square(16384), order: "row" }],
      ["Rung 07 at 16384", { ...common, ...square(16384), order: "band" }],
      ["Tall: 16384 \u00d7 1024", { ...common, m: 16384, n: 1024, order: "row" }],
      ["Classroom card, 1024",
        { ...common, ...square(1024), card: "classroom", order: "row", band: 4 }],
    ],
    show,
  });
})();
