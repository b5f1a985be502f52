// A block tile against a card: bytes, occupancy, waves. Formulas: formulas.js; cards: data.js.
(() => {
  "use strict";
  const F = window.ladderFormulas;
  const { Drawing, start, number, percent, plural, binaryBytes } = window.ladderWidget;
  const { cards } = window.ladderData;
  const PRECISIONS = [
    ["fp32", "FP32"],
    ["tf32", "TF32, tensor cores"],
    ["bf16", "BF16, tensor cores"],
  ];

  const WALK_HEIGHT = 330;

  /** A, B and C to one scale, and a block's tiles of them at one step along K. */
  function drawWalk(picture, room, { BM, BN, BK, m, n, k }, step) {
    const gap = 34;
    const scale = Math.min((room - gap - 90) / (k + n), (WALK_HEIGHT - gap - 40) / (k + m));
    const [width, depth, height] = [n, k, m].map((extent) => Math.max(extent * scale, 8));
    const left = 66;
    const top = 22;
    const x = left + depth + gap; // of B and C
    const y = top + depth + gap; // of A and C
    const place = (from, size, whole, extent) => [
      (from / whole) * extent,
      Math.max(2, (Math.min(size, whole - from) / whole) * extent),
    ];
    // A block in the middle of C, and the k tile that it is at.
    const [row, rows] = place(Math.floor((m - 1) / BM / 2) * BM, BM, m, height);
    const [column, columns] = place(Math.floor((n - 1) / BN / 2) * BN, BN, n, width);
    const [at, thick] = place((step - 1) * BK, BK, k, depth);
    picture.rect(left, y, depth, height, "frame");
    picture.rect(x, top, width, depth, "frame");
    picture.rect(x, y, width, height, "frame");
    picture.rect(left, y + row, at, rows, "cell moved");
    picture.rect(x + column, top, columns, at, "cell moved");
    picture.rect(left + at, y + row, thick, rows, "cell most", "the k tile of A");
    picture.rect(x + column, top + at, columns, thick, "cell most", "the k tile of B");
    picture.rect(x + column, y + row, columns, rows, "cell used", "the block's tile of C");
    picture.text(left - 8, y + height / 2 + 4, `A, ${number(m)}`, "soft", "end");
    picture.text(x + width / 2, top - 8, `B, ${number(n)}`, "soft", "middle");
    picture.text(x + width + 8, y + height / 2 + 4, "C", "soft");
    picture.text(left + depth / 2, y - 8, `K = ${number(k)}`, "soft", "middle");
    if (room - x - width < 200) return; // no room for words on a phone
    [
      [`k tile ${number(step)} of ${number(kTiles({ k, BK }))}`, "strong"],
      [`brings ${BM} \u00d7 ${BK} of A and ${BK} \u00d7 ${BN} of B`, "soft"],
    ].forEach(([words, style], i) => {
      picture.text(x + width + 16, top + depth / 2 + 20 * i - 4, words, style);
    });
  }

  /** Above, the step along K; below, bars: what the blocks of an SM take of what it has. */
  function drawing(room, values, step, uses, words) {
    const width = room - 2;
    const picture = new Drawing(room, WALK_HEIGHT + 24 + uses.length * 44, words);
    drawWalk(picture, room, values, step);
    uses.forEach(({ what, blocks, used, most, unit }, i) => {
      const y = WALK_HEIGHT + 32 + i * 44;
      picture.text(1, y - 6, `${what}: ${unit(used)} of ${unit(most)}`);
      picture.rect(1, y, width, 16, "frame");
      for (let block = 0; block < blocks; block += 1) {
        const share = (width * used) / most / blocks;
        picture.rect(1 + block * share, y, share, 16, block % 2 ? "cell moved" : "cell used");
      }
    });
    return picture;
  }

  /** What of an SM the resident blocks use. */
  function usesOf(card, tile, registers, { blocks, warps }) {
    const round = (value, unit) => Math.ceil(value / unit) * unit;
    const perBlock = round(
      tile.shared + card.shared_bytes_reserved_per_block,
      card.shared_allocation_unit_bytes,
    );
    const perWarp = round(registers * F.LANES, card.register_allocation_unit);
    return [
      { what: "warps", used: warps, most: card.max_warps_per_sm, unit: number },
      { what: "registers", used: warps * perWarp, most: card.registers_per_sm, unit: number },
      {
        what: "shared memory",
        used: blocks * perBlock,
        most: card.shared_bytes_per_sm,
        unit: binaryBytes,
      },
      { what: "blocks", used: blocks, most: card.max_blocks_per_sm, unit: number },
    ].map((use) => ({ ...use, blocks }));
  }

  function check(tile, { TM, TN, BM, BN, registers }) {
    if (!tile.whole) {
      throw new RangeError(
        `Thread tiles of ${TM} \u00d7 ${TN} do not fill a block tile of ${BM} \u00d7 ${BN} evenly.`,
      );
    }
    if (tile.accumulators > registers) {
      throw new RangeError(
        `${tile.accumulators} sums do not fit in ${registers} registers per thread: they spill.`,
      );
    }
  }

  function show(values, width) {
    const { precision, BM, BN, BK, registers, m, n, k } = values;
    const card = cards.find(({ id }) => id === values.card);
    const peak = F.peakTflops(card, precision);
    const bytes = F.elementBytes[precision];
    const tile = F.blockTile({ ...values, bytes });
    check(tile, values);
    const found = F.occupancy(card, { threads: tile.threads, registers, shared: tile.shared });
    if (found.blocks === 0) {
      throw new RangeError(
        `Not one block fits on an SM (limit: ${found.limit}). It has ${number(tile.threads)} ` +
          `threads with ${registers} registers each, and ${binaryBytes(tile.shared)} of shared ` +
          "memory, so CUDA refuses the launch.",
      );
    }
    const atOnce = found.blocks * card.sms;
    const waves = F.tileWaves({ m, n, BM, BN, atOnce });
    const dramGbps = card.dram_bytes_per_second * 1e-9;
    const ridge = F.ridge(peak, dramGbps);
    const problem = F.flops({ m, n, k }) / F.compulsoryBytes({ m, n, k }, { elementBytes: bytes });
    const steps = kTiles(values);
    const step = Math.min(values.step, steps);
    const loaded = Math.min(BK * step, k) * (BM + BN) * bytes;
    const sentence =
      `${plural(found.blocks, "block")} per SM, limited by ${found.limit}: ` +
      `occupancy ${percent(found.occupancy)}. ${plural(waves.tiles, "tile")} in ` +
      `${plural(waves.waves, "wave")}, the last ${percent(waves.lastShare)} full.`;
    return {
      sentence,
      rows: [
        ["Threads per block", number(tile.threads)],
        ["Sums per thread", number(tile.accumulators)],
        ["Shared memory per block", `${number(tile.shared)} bytes`],
        ["Blocks per SM, and what limits them", `${found.blocks}: ${found.limit}`],
        ["Warps per SM", `${found.warps} of ${card.max_warps_per_sm}`],
        ["FLOP per byte that a block loads", number(tile.intensity)],
        ["FLOP per byte of the whole problem, at best", number(problem)],
        ["Ridge point of DRAM, FLOP per byte", number(ridge)],
        [
          "If every load came from DRAM",
          `${tile.intensity < ridge ? "memory" : "arithmetic"} would be the limit`,
        ],
        ["Tiles", `${waves.rows} \u00d7 ${waves.columns} = ${number(waves.tiles)}`],
        ["Blocks at a time", `${found.blocks} \u00d7 ${card.sms} SMs = ${number(atOnce)}`],
        ["Tiles in the last wave", number(waves.last)],
        [
          `After k tile ${number(step)} of ${number(steps)}`,
          `a block has loaded ${binaryBytes(loaded)}`,
        ],
        ["Places used, over all waves", percent(waves.busy)],
      ],
      drawing: drawing(width, values, step, usesOf(card, tile, registers, found), sentence),
      caption:
        "Top: one block's tile of C, and the k tiles of A and B that it has loaded by now, the " +
        "latest one in the strongest colour. Bottom: what the blocks on one SM take " +
        `(${card.name}), in alternating shades.`,
    };
  }

  const kTiles = ({ k, BK }) => Math.ceil(k / BK);
  const extent = (id, label, value) => ({
    id,
    label,
    min: 1,
    max: 1000000,
    value,
    slider: { min: 128, max: 8192, step: 128 },
  });
  const tile = (id, label, max, value, slider) => ({ id, label, min: 1, max, value, slider });
  const folded = (field) => ({ ...field, folded: true });
  const square = (size) => ({ m: size, n: size, k: size });
  const common = { card: "h200", precision: "fp32", more: 0, step: 1, ...square(4096) };
  const tile128 = { ...common, BM: 128, BN: 128, BK: 8, TM: 8, TN: 8 };
  const rung04 = { ...tile128, stages: 1, padding: 0, registers: 128 };
  start("tiles", {
    hint:
      "make M and N a little smaller, until all tiles fit in one wave. Then give each thread one " +
      "register more, and see what that costs. Play moves the k tiles along K.",
    play: {
      field: "step",
      last: kTiles,
      first: "The first k tile",
      back: "One k tile back",
      forward: "The next k tile",
      play: "Play: along K",
    },
    fields: [
      { id: "card", label: "GPU", options: cards.map(({ id, name }) => [id, name]), value: "h200" },
      folded({ id: "precision", label: "Precision", options: PRECISIONS, value: "fp32" }),
      tile("BM", "BM, rows of the block tile", 512, 128, { min: 32, max: 256, step: 32 }),
      tile("BN", "BN, columns of the block tile", 512, 128, { min: 32, max: 256, step: 32 }),
      tile("BK", "BK, depth of the k tile", 512, 8, { min: 8, max: 64, step: 8 }),
      folded(tile("TM", "TM, rows of a thread's results", 64, 8, { min: 1, max: 16 })),
      folded(tile("TN", "TN, columns of a thread's results", 64, 8, { min: 1, max: 16 })),
      folded(tile("stages", "Stages in shared memory", 16, 1, { min: 1, max: 8 })),
      folded({
        id: "padding",
        label: "Padding after A's rows, in elements",
        min: 0,
        max: 64,
        value: 0,
        slider: { max: 16 },
      }),
      folded({
        id: "more",
        label: "Threads that only load",
        min: 0,
        max: 512,
        value: 0,
        slider: { max: 256, step: 32 },
      }),
      tile("registers", "Registers per thread", 255, 128, { min: 16 }),
      extent("m", "M", 4096),
      extent("n", "N", 4096),
      extent("k", "K", 4096),
      {
        id: "step",
        label: "The block is at k tile",
        min: 1,
        max: 1000000,
        value: 1,
        slider: {},
      },
    ],
    settings: [
      ["Rung 04 at 2176: a last wave of 25 tiles", { ...rung04, ...square(2176) }],
      ["Rung 04 at 4096: 128 \u00d7 128, 8 \u00d7 8 per thread", rung04],
      ["Rung 03: 32 \u00d7 32, one result per thread",
        { ...common, BM: 32, BN: 32, BK: 64, TM: 1, TN: 1, stages: 1, padding: 0, registers: 32 }],
      ["Rung 06: two stages, A padded", { ...rung04, stages: 2, padding: 4, registers: 127 }],
      ["Rung 10: 128 \u00d7 256, 8 \u00d7 16 per thread",
        { ...rung04, BN: 256, TN: 16, stages: 3, padding: 4, registers: 208 }],
      ["Rung 04 at 2048", { ...rung04, ...square(2048) }],
      ["Rung 04 at 512", { ...rung04, ...square(512) }],
      ["Rung 04 on a T4", { ...rung04, card: "t4" }],
    ],
    show,
  });
})();
