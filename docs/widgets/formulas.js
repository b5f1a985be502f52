// What the book's widgets compute: functions of numbers alone, which know of no page.
// tests/docs/widgets/widget_formulas_test.py compares them with those of emulator and device cards,
// case by case.
window.ladderFormulas = (() => {
  "use strict";
  const LANES = 32; // of a warp
  const SECTOR_BYTES = 32; // the unit in which L2 and DRAM move data
  const LINE_BYTES = 128; // four sectors with one tag
  const BANKS = 32; // of shared memory, each a word of 4 bytes wide
  const MAX_THREADS_PER_BLOCK = 1024;
  const MAX_REGISTERS_PER_THREAD = 255;
  const PARTITIONS_PER_SM = 4; // each with a quarter of the registers

  const ceilDiv = (a, b) => Math.ceil(a / b);
  const roundUp = (a, unit) => ceilDiv(a, unit) * unit;
  const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);

  // -- Global memory -------------------------------------------------------------------------

  /**
   * One request of a warp to global memory: lane l of `lanes` reads `bytes` bytes, beginning at
   * offset + l * stride * bytes. Sectors travel whole, and each once, whichever lanes want it.
   * @param bytes   of an element: 1, 2, 4, 8 or 16
   * @param stride  elements from one lane's to the next lane's
   * @param offset  bytes from the start of a line to lane 0's element
   * @returns addresses, sectors and lines (numbers of those touched), ideal (sectors that the bytes
   *   would fill side by side), bytesUsed, bytesMoved, efficiency, aligned (false: a GPU stops
   *   with an error, because an element must lie at a multiple of its size)
   */
  function coalescing({ bytes, stride, offset, lanes }) {
    const addresses = Array.from({ length: lanes }, (_, lane) => offset + lane * stride * bytes);
    const ends = addresses.map((address) => address + bytes - 1);
    const all = [...addresses, ...ends];
    const sectors = distinct(all.map((address) => Math.floor(address / SECTOR_BYTES)));
    const lines = distinct(all.map((address) => Math.floor(address / LINE_BYTES)));
    const bytesUsed = distinct(addresses).length * bytes;
    return {
      addresses,
      sectors,
      lines,
      ideal: Math.min(sectors.length, ceilDiv(lanes * bytes, SECTOR_BYTES)),
      bytesUsed,
      bytesMoved: sectors.length * SECTOR_BYTES,
      efficiency: bytesUsed / (sectors.length * SECTOR_BYTES),
      aligned: offset % bytes === 0,
    };
  }

  // -- Shared memory -------------------------------------------------------------------------

  /**
   * Words in which the lanes of a warp begin, for an array of `rowLength` floats per row.
   * @param rowLength  floats of a row that hold data
   * @param padding    unused floats behind each row
   * @param swizzle    "none"; "word": float c of row r lies at c xor (r mod 32); "float4": float4 c
   *   of row r lies at c xor (r mod 8)
   * @param access     "row": neighbours read neighbouring elements, row by row; "column": lane l
   *   reads the start of row l; "operandA", "operandB": lanes lie row by row in `laneColumns`
   *   columns and read by their row or by their column; "block": lanes read a block of that shape;
   *   "transpose": lane l stores to row 4*(l mod 2), column l/2, as rung 05 does; "same": all read
   *   one element
   * @param width      floats per lane: 1, 2 or 4
   * @returns words, [lane]
   * @throws RangeError  a layout that cannot be; the message says why
   */
  function sharedWords({ rowLength, padding, swizzle, access, width, laneColumns }) {
    const pitch = rowLength + padding;
    if (rowLength % width !== 0 || pitch % width !== 0) {
      throw new RangeError(
        `Rows of ${rowLength} + ${padding} floats do not all begin at a multiple of ${4 * width} ` +
          `bytes, which a load of ${4 * width} bytes per lane needs. A GPU stops with an error.`,
      );
    }
    if (swizzle !== "none" && rowLength % BANKS !== 0) {
      throw new RangeError(
        `This swizzle permutes groups of 32 floats, and ${rowLength} is not a multiple of 32.`,
      );
    }
    if (swizzle === "word" && width > 1) {
      throw new RangeError(
        `A swizzle of single floats separates the ${width} floats that one lane reads; choose ` +
          "the swizzle of float4.",
      );
    }
    const element = {
      row: (lane) => [0, lane * width],
      column: (lane) => [lane, 0],
      operandA: (lane) => [0, Math.floor(lane / laneColumns) * width],
      operandB: (lane) => [0, (lane % laneColumns) * width],
      block: (lane) => [Math.floor(lane / laneColumns), (lane % laneColumns) * width],
      transpose: (lane) => [4 * (lane % 2), Math.floor(lane / 2) * width],
      same: () => [0, 0],
    }[access];
    return Array.from({ length: LANES }, (_, lane) => {
      const [row0, column0] = element(lane);
      const row = row0 + Math.floor(column0 / rowLength); // past a row's end the next one follows
      const column = column0 % rowLength;
      const places = { none: column, word: column ^ row % 32, float4: column ^ 4 * (row % 8) };
      return row * pitch + places[swizzle];
    });
  }

  /**
   * One request of a warp to shared memory: the groups of lanes that are served one after the
   * other, and how many passes each takes. A pass takes one word out of each bank, for all lanes
   * that want it. 4 bytes per lane: all lanes are one group. 8 bytes: two groups, 16 bytes: four.
   * Loads have half as many groups where every lane shares its address with lane xor 1, or every
   * lane with lane xor 2. The rule was found on an H200; the emulator follows it.
   * @param offsets  bytes, [lane], multiples of 4
   * @param bytes    per lane: 4, 8 or 16
   * @param store    stores never merge groups
   * @param mask     active lanes, a bit each
   * @returns wavefronts, ideal, groups: [{lanes, words: [bank] distinct words, passes}]
   */
  function wavefronts({ offsets, bytes, store = false, mask = 0xffffffff }) {
    const isActive = (lane) => ((mask >>> lane) & 1) === 1;
    const active = offsets.map((_, lane) => lane).filter(isActive);
    const isShared = (distance) =>
      active.every(
        (lane) => !isActive(lane ^ distance) || offsets[lane] === offsets[lane ^ distance],
      );
    let atOnce = bytes <= 4 ? 32 : bytes === 8 ? 16 : 8;
    if (atOnce < 32 && !store && (isShared(1) || isShared(2))) atOnce *= 2;
    const groups = [];
    for (let first = 0; first < LANES; first += atOnce) {
      const lanes = active.filter((lane) => lane >= first && lane < first + atOnce);
      const words = Array(BANKS).fill(0);
      const asked = lanes.flatMap((lane) =>
        Array.from({ length: bytes / 4 }, (_, i) => offsets[lane] / 4 + i),
      );
      for (const word of distinct(asked)) words[word % BANKS] += 1;
      groups.push({ lanes, words, passes: Math.max(...words) });
    }
    const sum = groups.reduce((total, group) => total + group.passes, 0);
    return {
      wavefronts: sum,
      ideal: Math.min(sum, ceilDiv(active.length * bytes, 4 * BANKS)),
      groups,
    };
  }

  // -- What an SM holds ----------------------------------------------------------------------

  /**
   * How many blocks of a kernel reside on an SM at once, as common/device_card.cpp counts them.
   * @param card       figures of a device card
   * @param threads    per block, 1 or more
   * @param registers  per thread; 0: not known, does not limit
   * @param shared     bytes per block
   * @returns blocks, limit ("threads", "blocks", "registers", "shared memory", joined by " and "),
   *   warps (on the SM), occupancy (of the most warps)
   */
  function occupancy(card, { threads, registers, shared }) {
    const warps = ceilDiv(threads, LANES);
    const warpsPerSm = Math.min(
      card.max_warps_per_sm,
      Math.floor(card.max_threads_per_sm / LANES),
    );
    const byThreads = threads > MAX_THREADS_PER_BLOCK ? 0 : Math.floor(warpsPerSm / warps);

    let byRegisters = Infinity;
    if (registers > MAX_REGISTERS_PER_THREAD) byRegisters = 0;
    else if (registers > 0) {
      const perWarp = roundUp(registers * LANES, card.register_allocation_unit);
      // A warp cannot straddle partitions, so what is left over in each of them is lost.
      const inPartition = Math.floor(card.registers_per_sm / PARTITIONS_PER_SM / perWarp);
      byRegisters = Math.floor((PARTITIONS_PER_SM * inPartition) / warps);
    }

    let byShared = Infinity;
    const bytes = shared + card.shared_bytes_reserved_per_block;
    if (shared > card.max_shared_bytes_per_block) byShared = 0;
    else if (bytes > 0) {
      byShared = Math.floor(
        card.shared_bytes_per_sm / roundUp(bytes, card.shared_allocation_unit_bytes),
      );
    }
    const limits = [
      ["threads", byThreads],
      ["blocks", card.max_blocks_per_sm],
      ["registers", byRegisters],
      ["shared memory", byShared],
    ];
    const blocks = Math.min(...limits.map(([, most]) => most));
    return {
      blocks,
      limit: limits
        .filter(([, most]) => most === blocks)
        .map(([what]) => what)
        .join(" and "),
      warps: blocks * warps,
      occupancy: (blocks * warps) / card.max_warps_per_sm,
    };
  }

  // -- Roofline ------------------------------------------------------------------------------

  /** Floating-point operations of a product: a multiply and an add per (row, column, k). */
  const flops = ({ m, n, k }) => 2 * m * n * k;

  /** Bytes that any GEMM must move: A and B read once, C written once, and read when beta != 0. */
  const compulsoryBytes = ({ m, n, k }, { beta = 0, elementBytes = 4 } = {}) =>
    elementBytes * (m * k + k * n + (beta === 0 ? 1 : 2) * m * n);

  /** TFLOP/s that a roofline allows at an intensity in FLOP per byte. */
  const attainableTflops = (peakTflops, dramGbps, intensity) =>
    Math.min(peakTflops, intensity * dramGbps * 1e-3);

  /** FLOP per byte from which on arithmetic, and no longer memory, is the limit. */
  const ridge = (peakTflops, dramGbps) => (peakTflops * 1e3) / dramGbps;

  /** Peak of a card; throws a RangeError where it has no tensor cores for this precision. */
  function peakTflops(card, precision) {
    const peak = card[`${precision}_tflops`];
    if (peak !== null) return peak;
    const what = precision.toUpperCase();
    throw new RangeError(`This card, ${card.name}, has no tensor cores that take ${what}.`);
  }

  /** Bytes of an element, as A, B and C hold it. */
  const elementBytes = { fp32: 4, tf32: 4, bf16: 2 };

  // -- Block tiles ---------------------------------------------------------------------------

  /**
   * What a block tile asks for.
   * @param BM,BN,BK  block tile
   * @param TM,TN     results of a thread
   * @param more      threads of the block that compute nothing
   * @param stages    copies of the tiles of A and B in shared memory
   * @param padding   elements behind each of the BK rows of A's tile
   * @param bytes     of an element
   * @returns threads, shared (bytes), accumulators, intensity (FLOP per byte that the block loads),
   *   whole (false: thread tiles do not fill the block tile)
   */
  function blockTile({ BM, BN, BK, TM, TN, more = 0, stages, padding, bytes }) {
    return {
      threads: (BM / TM) * (BN / TN) + more,
      shared: stages * BK * (BM + padding + BN) * bytes,
      accumulators: TM * TN,
      intensity: (2 * BM * BN) / ((BM + BN) * bytes),
      whole: BM % TM === 0 && BN % TN === 0,
    };
  }

  /**
   * Tiles that cover C, and the waves in which `atOnce` blocks at a time work on them.
   * @returns rows, columns, tiles, waves (whole ones and the last), last (tiles in the last wave),
   *   lastShare (of the places that it fills), busy (share of all places in all waves)
   */
  function tileWaves({ m, n, BM, BN, atOnce }) {
    const rows = ceilDiv(m, BM);
    const columns = ceilDiv(n, BN);
    const tiles = rows * columns;
    const waves = ceilDiv(tiles, atOnce);
    const last = tiles - (waves - 1) * atOnce;
    return {
      rows,
      columns,
      tiles,
      waves,
      last,
      lastShare: last / atOnce,
      busy: tiles / (waves * atOnce),
    };
  }

  // -- The order of blocks -------------------------------------------------------------------

  /**
   * The place of the i-th block: down a column of `band` tile rows, then the next column; at the
   * end of a band the next one begins, and the last may be lower. 1 goes along rows; all rows is
   * along columns; 16 is rung 07.
   * @returns [row, column]
   */
  function tileAt(index, { rows, columns, band }) {
    const bandIndex = Math.floor(index / (band * columns));
    const height = Math.min(band, rows - bandIndex * band);
    const inBand = index - bandIndex * band * columns;
    return [bandIndex * band + (inBand % height), Math.floor(inBand / height)];
  }

  /**
   * The panels that the blocks of one wave read. A block reads BM rows of A and BN columns of B,
   * for all k; blocks of the wave in one tile row share the panel of A, those in one tile column
   * that of B. With R distinct panels of A and Q of B among W tiles
   *   hit rate = 1 - (R*BM + Q*BN) / (W*(BM + BN)),
   * as long as the wave's blocks keep step and L2 keeps what they read until all of them have it.
   * @param wave  0 is the first
   * @returns tiles: [[row, column]], panelsA, panelsB (tile rows and columns, ascending), asked and
   *   read (bytes), hitRate
   */
  function waveOf({ rows, columns, band, atOnce, wave, BM, BN, k, bytes }) {
    const first = wave * atOnce;
    const count = Math.min(atOnce, rows * columns - first);
    const tiles = Array.from({ length: count }, (_, i) =>
      tileAt(first + i, { rows, columns, band }),
    );
    const panelsA = distinct(tiles.map(([row]) => row));
    const panelsB = distinct(tiles.map(([, column]) => column));
    const asked = count * (BM + BN);
    const read = panelsA.length * BM + panelsB.length * BN;
    return {
      tiles,
      panelsA,
      panelsB,
      asked: asked * k * bytes,
      read: read * k * bytes,
      hitRate: 1 - read / asked,
    };
  }

  /** waveOf() of all waves: {waves, asked, read} in bytes, if a wave finds nothing in L2. */
  function allWaves(order) {
    const waves = ceilDiv(order.rows * order.columns, order.atOnce);
    let asked = 0;
    let read = 0;
    for (let wave = 0; wave < waves; wave += 1) {
      const one = waveOf({ ...order, wave });
      asked += one.asked;
      read += one.read;
    }
    return { waves, asked, read, hitRate: 1 - read / asked };
  }

  // -- Results files -------------------------------------------------------------------------

  const median = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  };

  /**
   * Reads the JSON of `ladder climb --json` or of the benchmark.
   * @returns device, protocols, points: [{name, m, n, k, beta, tflops}]; of repetitions the median
   * @throws Error  no such file; the message says what is wrong with it
   */
  function readResults(text) {
    let file;
    try {
      file = JSON.parse(text);
    } catch (error) {
      throw new Error(`This is not JSON: ${error.message}.`);
    }
    if (file === null || !Array.isArray(file.benchmarks) || !(file.context instanceof Object)) {
      throw new Error(
        'This JSON holds no results: it lacks the "context" and "benchmarks" that ladder climb ' +
          "--json and make bench write.",
      );
    }
    const found = new Map();
    for (const entry of file.benchmarks) {
      if (!(entry instanceof Object) || (entry.run_type ?? "iteration") !== "iteration") continue;
      const row = /^(\w+)\/(\d+)x(\d+)x(\d+)\/\w+$/.exec(entry.run_name ?? "");
      const [name, m, n, k] = row
        ? [row[1], +row[2], +row[3], +row[4]]
        : [entry.name, entry.m, entry.n, entry.k];
      if (![m, n, k].every((extent) => Number.isInteger(extent) && extent > 0)) continue;
      if (!Number.isFinite(entry.tflops) || entry.tflops <= 0 || entry.error_occurred) continue;
      if (entry.outcome && entry.outcome !== "right") continue;
      const key = `${name} ${m} ${n} ${k}`;
      if (!found.has(key)) found.set(key, { name, m, n, k, beta: entry.beta ?? 0, samples: [] });
      found.get(key).samples.push(entry.tflops);
    }
    const device = file.context.device ?? "an unnamed device";
    if (found.size === 0) {
      throw new Error(
        `This file has no times of correct results (it is from ${device}). The emulator does not ` +
          "measure time, so run the ladder on a GPU.",
      );
    }
    const points = [...found.values()].map(({ samples, ...point }) => ({
      ...point,
      tflops: median(samples),
    }));
    return { device, points };
  }

  /** The card whose id a driver's name holds, as "NVIDIA H200" contains h200; undefined if none. */
  function cardOf(device, cards) {
    const squeezed = device.toLowerCase().replace(/[^a-z0-9]+/g, " ");
    return cards.find(({ id }) => {
      const words = id.replace(/^([a-z]{3,})(\d)/, "$1 $2");
      return ` ${squeezed} `.includes(` ${words} `);
    });
  }

  return {
    LANES,
    SECTOR_BYTES,
    LINE_BYTES,
    BANKS,
    coalescing,
    sharedWords,
    wavefronts,
    occupancy,
    flops,
    compulsoryBytes,
    attainableTflops,
    ridge,
    peakTflops,
    elementBytes,
    blockTile,
    tileWaves,
    tileAt,
    waveOf,
    allWaves,
    readResults,
    cardOf,
  };
})();
