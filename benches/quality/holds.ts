// `npm run quality -- holds`: whether answers of a server with default settings put first what holds now. Pairs
// of statements are stored one after the other among others, over HTTP.

import { GUESSES } from "nous-memory";
import type { RunningServer } from "../js/http-contestants.ts";
import { table, writeResults } from "../results.ts";
import { type HoldingPair, OTHERS, REPLACED, STANDING } from "./holding-pairs.ts";
import { withServer } from "./own-server.ts";

/** How edges come about: by the server, none, or one for every pair: wrong for those that both stand. */
const EDGES = ["none", "by the server", "of every pair"] as const;
type Edges = (typeof EDGES)[number];

interface Counted {
  newerFirst: number;
  newerBefore: number;
  olderInThree: number;
  standingFirst: number;
  standingInThree: number;
  unmarked: number;
  standingMarked: number;
}

interface Found {
  data: { id: string; content_title: string }[];
}

async function counted(server: RunningServer, edges: Edges): Promise<Counted> {
  const agent = edges.replaceAll(" ", "-");
  const ask = async (call: string, body?: object) => (await server.ask(call, body, agent)).body;
  const ids = new Map<string, string>();
  const store = async (text: string) => {
    const { stored } = await ask("POST /remember", { text });
    ids.set(text, stored[0].id);
  };
  const pairs = [...REPLACED, ...STANDING];
  for (const [place, pair] of pairs.entries()) {
    await store(pair.older);
    await store(pair.newer);
    const other = OTHERS[place];
    if (other !== undefined) await store(other);
  }
  if (edges !== "by the server") {
    for (const id of ids.values()) {
      const guesses = await ask(`GET /edges?node_id=${id}&direction=out`);
      for (const edge of guesses.data)
        if (GUESSES.includes(edge.type)) await ask(`DELETE /edges/${edge.id}`);
    }
  }
  if (edges === "of every pair")
    for (const { older, newer } of pairs)
      await ask("POST /edges", {
        ...{ source_id: ids.get(newer), target_id: ids.get(older) },
        ...{ type: "likely_supersedes", strength: 0.8 },
      });
  const order = async ({ question, older, newer }: HoldingPair) => {
    const { data }: Found = await ask("POST /search", { query: question });
    const place = (text: string) => {
      const at = data.findIndex(({ id }) => id === ids.get(text));
      return at < 0 ? Number.POSITIVE_INFINITY : at;
    };
    const { prompt } = await ask("POST /context", { input: question });
    const line = (prompt as string).split("\n").find((one) => one.includes(older.slice(0, -1)));
    return { older: place(older), newer: place(newer), line };
  };
  const replaced = await Promise.all(REPLACED.map(order));
  const standing = await Promise.all(STANDING.map(order));
  const count = (all: typeof replaced, holds: (one: (typeof replaced)[number]) => boolean) =>
    all.filter(holds).length;
  const isMarked = (line: string | undefined) => line?.includes("(earlier; since ") === true;
  return {
    newerFirst: count(replaced, ({ newer }) => newer === 0),
    newerBefore: count(replaced, ({ newer, older }) => newer < older),
    olderInThree: count(replaced, ({ older }) => older < 3),
    standingFirst: count(standing, ({ older }) => older === 0),
    standingInThree: count(standing, ({ older }) => older < 3),
    unmarked: count(replaced, ({ line }) => line !== undefined && !isMarked(line)),
    standingMarked: count(standing, ({ line }) => isMarked(line)),
  };
}

const rows: string[][] = [];
await withServer({ now: Date.now() }, async (server) => {
  for (const edges of EDGES) {
    const it = await counted(server, edges);
    rows.push([edges, ...Object.values(it).map(String)]);
    console.log(edges, it);
  }
});
const text = table(
  [
    "edges",
    `newer first, of ${REPLACED.length}`,
    "newer before older",
    "older in first three",
    `standing: right first, of ${STANDING.length}`,
    "right in first three",
    "prompts with the older line unmarked",
    "standing lines that are marked",
  ],
  rows,
);
const HOW = `\`npm run quality -- holds\`: ${REPLACED.length} pairs of which the newer statement replaces the older one, and ${STANDING.length} pairs that
both stand, stored one after the other among ${OTHERS.length} others, over HTTP with default settings. Each pair is asked for what holds.`;
console.log(text);
console.log(`\nwritten to ${writeResults("holds", "What holds now", `${HOW}\n\n${text}`)}`);
