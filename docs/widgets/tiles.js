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

  /** Bars: what the blocks of an SM take of each thing that it has. */
  function drawing(room, uses, words) {
    const width = room - 2;
    const picture = new Drawing(room, 12 + uses.length * 44, words);
    uses.forEach(({ what, blocks, used, most, unit }, i) => {
      const y = 20 + i * 44;
      picture.text(1, y - 6, `${what}: ${unit(used)} of ${unit(most)}`);
      picture.rect(1, y, width, 16, "cell");
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
        `Thread tiles of ${TM} x ${TN} do not fill a block tile of ${BM} x ${BN} evenly.`,
      );
    }
    if (tile.accumulators > registers) {
      throw new RangeError(
        `${tile.accumulators} sums do not fit in ${registers} registers per thread: they spill.`,
      );
    }
  }

  function show(values, width) {
    const { precision, BM, BN, registers, m, n, k } = values;
    const card = cards.find(({ id }) => id === values.card);
    const peak = F.peakTflops(card, precision);
    const bytes = F.elementBytes[precision];
    const tile = F.blockTile({ ...values, bytes });
    check(tile, values);
    const found = F.occupancy(card, { threads: tile.threads, registers, shared: tile.shared });
    if (found.blocks === 0) {
      throw new RangeError(
        `Not one block fits on an SM: ${found.limit}. It has ${number(tile.threads)} threads of ` +
          `${registers} registers and ${binaryBytes(tile.shared)} of shared memory; CUDA ` +
          "refuses it.",
      );
    }
    const atOnce = found.blocks * card.sms;
    const waves = F.tileWaves({ m, n, BM, BN, atOnce });
    const dramGbps = card.dram_bytes_per_second * 1e-9;
    const ridge = F.ridge(peak, dramGbps);
    const problem = F.flops({ m, n, k }) / F.compulsoryBytes({ m, n, k }, { elementBytes: bytes });
    const sentence =
      `${plural(found.blocks, "block")} per SM, limited by ${found.limit}: ` +
      `occupancy ${percent(found.occupancy)}. ${plural(waves.tiles, "tile")} in ` +
      `${plural(waves.waves, "wave")}, the last ${percent(waves.lastShare)} full.`;
    return {
      sentence,
      rows: [
        ["Threads of a block", number(tile.threads)],
        ["Sums of a thread", number(tile.accumulators)],
        ["Shared memory of a block", `${number(tile.shared)} bytes`],
        ["Blocks per SM, and what limits them", `${found.blocks}: ${found.limit}`],
        ["Warps per SM", `${found.warps} of ${card.max_warps_per_sm}`],
        ["FLOP per byte that a block loads", number(tile.intensity)],
        ["FLOP per byte of the whole problem, at best", number(problem)],
        ["Ridge point of DRAM, FLOP per byte", number(ridge)],
        [
          "If every load came from DRAM",
          `${tile.intensity < ridge ? "memory" : "arithmetic"} would be the limit`,
        ],
        ["Tiles", `${waves.rows} x ${waves.columns} = ${number(waves.tiles)}`],
        ["Blocks at a time", `${found.blocks} x ${card.sms} SMs = ${number(atOnce)}`],
        ["Tiles in the last wave", number(waves.last)],
        ["Places used, over all waves", percent(waves.busy)],
      ],
      drawing: drawing(width, usesOf(card, tile, registers, found), sentence),
      caption: `What the blocks on one SM take (${card.name}); shades tell blocks apart.`,
    };
  }

  const extent = (id, label, value) => ({ id, label, min: 1, max: 1000000, value });
  const tile = (id, label, max, value) => ({ id, label, min: 1, max, value });
  const square = (size) => ({ m: size, n: size, k: size });
  const common = { card: "h200", precision: "fp32", more: 0, ...square(4096) };
  const tile128 = { ...common, BM: 128, BN: 128, BK: 8, TM: 8, TN: 8 };
  const rung04 = { ...tile128, stages: 1, padding: 0, registers: 128 };
  start("tiles", {
    fields: [
      { id: "card", label: "GPU", options: cards.map(({ id, name }) => [id, name]), value: "h200" },
      { id: "precision", label: "Precision", options: PRECISIONS, value: "fp32" },
      tile("BM", "BM, rows of the block tile", 512, 128),
      tile("BN", "BN, its columns", 512, 128),
      tile("BK", "BK, its depth", 512, 8),
      tile("TM", "TM, rows of a thread's results", 64, 8),
      tile("TN", "TN, their columns", 64, 8),
      tile("stages", "Stages in shared memory", 16, 1),
      { id: "padding", label: "Padding of A's rows, in elements", min: 0, max: 64, value: 0 },
      { id: "more", label: "Threads that only load", min: 0, max: 512, value: 0 },
      tile("registers", "Registers per thread", 255, 128),
      extent("m", "M", 4096),
      extent("n", "N", 4096),
      extent("k", "K", 4096),
    ],
    settings: [
      ["Rung 04: 128 x 128, 8 x 8 per thread", rung04],
      ["Rung 03: 32 x 32, one result per thread",
        { ...common, BM: 32, BN: 32, BK: 64, TM: 1, TN: 1, stages: 1, padding: 0, registers: 32 }],
      ["Rung 06: two stages, A padded", { ...rung04, stages: 2, padding: 4, registers: 127 }],
      ["Rung 10: 128 x 256, 8 x 16 per thread",
        { ...rung04, BN: 256, TN: 16, stages: 3, padding: 4, registers: 208 }],
      ["Rung 04 at 2048", { ...rung04, ...square(2048) }],
      ["Rung 04 at 512", { ...rung04, ...square(512) }],
      ["Rung 04 on a T4", { ...rung04, card: "t4" }],
    ],
    show,
  });
})();
