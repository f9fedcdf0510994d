// benches/js/zz-open.ts
import { loadEmbedder } from "nous-embedder";
import { MemoryIndex } from "nous-wasm";

// tests/reference/stop-words.ts
var STOP_WORDS = new Set(
  "a an and are as at be been but by can did do does for from had has have he her his how i if in into is it its me my no not of on or our she so that the their them then there they this to was we were what when where which who why will with would you your".split(" ")
);

// benches/js/inputs.ts
var NOW = Date.UTC(2026, 1, 20, 12);
function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 1831565813 >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}
function pick(random, from) {
  return from[Math.floor(random() * from.length)];
}
var SUBTYPES = [
  "custom:trade_entry",
  "custom:trade_close",
  "custom:trade_modify",
  "custom:trade",
  "custom:turn_summary",
  "custom:session_summary",
  "custom:market_event",
  "custom:signal",
  "custom:watchpoint",
  "custom:lesson",
  "custom:thesis",
  "custom:curiosity",
  "custom:playbook",
  "custom:missed_opportunity",
  "custom:good_pass",
  "custom:preference",
  void 0
];
var NEUTRAL_WORDS = "BTC ETH SOL DOGE the a and of to on for with from funding rate open interest liquidation cascade momentum breakout volatility ETF flows basis spread weekend support resistance range squeeze leverage size stop target macro CPI Fed calendar orderbook depth bid ask book whale wallet staking yield bridge gas fees show me tell about before after between January March 2026 24h 4h 15m hourly daily please maybe should compare against versus status market maker venue Binance spot perp futures options skew gamma".split(
  " "
);

// benches/js/token-tables.ts
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
var tableOf = (dimensions) => new Uint8Array(readFileSync(resolve(`js/embedder/tables/nous-${dimensions}.bin`)));
function lettersOf(table) {
  const length = new DataView(table.buffer, table.byteOffset).getUint32(16, true);
  const tokens = new TextDecoder().decode(table.subarray(20, 20 + length)).split("\n");
  return {
    starts: tokens.filter((token) => /^[a-z]{3,}$/.test(token)),
    ends: tokens.filter((token) => /^##[a-z]{2,}$/.test(token)).map((token) => token.slice(2))
  };
}

// benches/js/evidence-inputs.ts
var WORDS = { memory: 40, question: 12 };
var OF_TITLE = 5;
var OF_SESSION = 20;
var HOUR = 36e5;
function vocabularyOf(table) {
  const random = makeRandom(1);
  const content = lettersOf(table).starts.filter((word) => !STOP_WORDS.has(word));
  for (let at = content.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [content[at], content[other]] = [content[other], content[at]];
  }
  return [...[...STOP_WORDS].slice(0, 100), ...content];
}
function wordsBy(random, vocabulary2) {
  const top = Math.log(vocabulary2.length + 1);
  return () => vocabulary2[Math.min(vocabulary2.length - 1, Math.floor(Math.exp(random() * top)) - 1)];
}
var sentence = (word, count) => Array.from({ length: count }, word).join(" ");
function makeTextMemories(vocabulary2, count) {
  const random = makeRandom(2);
  const word = wordsBy(random, vocabulary2);
  const end = NOW - 24 * HOUR;
  return Array.from({ length: count }, (_, place) => {
    const session = Math.floor(place / OF_SESSION);
    const ago = (Math.ceil(count / OF_SESSION) - session) * 48 * HOUR;
    return {
      id: `n_${place}`,
      subtype: pick(random, SUBTYPES) ?? null,
      created_at: end - ago + place % OF_SESSION * 6e4,
      clusters: [`session ${session}`],
      access_count: Math.floor(random() ** 3 * 60),
      title: sentence(word, OF_TITLE),
      text: `${sentence(word, WORDS.memory - OF_TITLE)}.`
    };
  });
}

// benches/js/zz-open.ts
var cpu = () => {
  const u = process.cpuUsage();
  return (u.user + u.system) / 1e3;
};
var n = Number(process.argv[2] ?? 1e4);
var vocabulary = vocabularyOf(tableOf(128));
var memories = makeTextMemories(vocabulary, n);
var embedder = await loadEmbedder();
for (let k = 0; k < 3; k++) {
  let t = cpu();
  const index = new MemoryIndex({ embedder, dimensions: 128 });
  const v = new Float32Array(128).fill(0.1);
  for (let i = 0; i < n; i += 500) index.upsert(memories.slice(i, i + 500).map((m) => ({ id: m.id, created_at: new Date(Date.UTC(2026, 0, 1) + 6e4 * Number(m.id.replace(/\D/g, ""))).toISOString(), embedding: v })));
  console.log("nodes", (cpu() - t).toFixed(0));
  t = cpu();
  for (let i = 0; i < n; i += 500) index.upsert(memories.slice(i, i + 500).map(({ id, title, text }) => ({ id, title, text })));
  console.log("texts", (cpu() - t).toFixed(0));
  t = cpu();
  const parts = [...index.snapshotParts()];
  console.log("snapshot", (cpu() - t).toFixed(0), parts.reduce((s, p) => s + p.length, 0));
  t = cpu();
  const again = MemoryIndex.restore(parts, { embedder });
  console.log("restore", (cpu() - t).toFixed(0));
  t = cpu();
  index.ask("what about friday", { limit: 5 });
  console.log("ask", (cpu() - t).toFixed(0));
  t = cpu();
  index.free();
  again.free();
}
