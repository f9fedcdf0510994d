// The page "Ranking by the original rules" is true: a server with its settings follows each rule of
// its table, and a server without them does not.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { start } from "./support/server-process.ts";
import { type Client, clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const PAGE = fileURLToPath(new URL("../../docs/original-rules.md", import.meta.url));
const [, SETTINGS] = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(PAGE, "utf8"))!;

const QUESTION = "what signals are firing for the funding of BTC right now?";
/** No memory has this question's words; other words of it are found. */
const POOR = "show me zyzzyva";

interface Found {
  id: string;
  score: number;
  breakdown?: object;
  primary_signal?: string;
  evidence?: object;
  _intent_boosted?: true;
  _original_score?: number;
}

async function trader(options: readonly string[]): Promise<Client> {
  const own = clientOf(await start(temporaryFolder(), options), "default");
  const memories = [
    ["custom:signal", "BTC funding is extreme"],
    ["custom:lesson", "Extreme funding of BTC reverts within a day"],
    ["custom:thesis", "Dips of ETH are bought"],
    ["custom:playbook", "Fade a funding squeeze"],
    ["custom:turn_summary", "We spoke about the weather in Lisbon"],
    ...["tea", "trains", "paint", "gardens"].map((word) => ["custom:curiosity", `About ${word}`]),
  ];
  for (const [subtype, content_title] of memories)
    await own.create({ subtype, content_title, content_body: null });
  return own;
}

const rulesOf = async ({ ask }: Client) => {
  const search = (await ask("POST /search", { query: QUESTION })).body.data as Found[];
  const { data, trace } = (await ask("POST /retrieve", { query: QUESTION })).body;
  const poor = (await ask("POST /retrieve", { query: POOR })).body.trace;
  const turn = (await ask("POST /context", { input: QUESTION })).body;
  const thanks = (await ask("POST /context", { input: "thanks!" })).body;
  const consolidated = (await ask("POST /consolidate")).body;
  const [boosted] = (data as Found[]).filter((node) => node._intent_boosted);
  return {
    breakdown: search.every((node) => node.breakdown && node.primary_signal),
    evidence: search.some((node) => node.evidence),
    boost: boosted && boosted.score / boosted._original_score!,
    intents: trace.classification.intents,
    retries: poor.parts.filter((part: { retry?: object }) => part.retry).length,
    byKind: turn.plan?.queries.length > 0,
    ofThanks: Object.values(thanks.recalled_ids as Record<string, string[]>).flat().length,
    summaries: "summaries" in consolidated,
  };
};

test("with the settings of the page each rule is followed", async () => {
  const config = join(temporaryFolder(), "nous.yaml");
  writeFileSync(config, SETTINGS!);
  const { boost, ...rules } = await rulesOf(await trader(["--config", config]));
  expect(boost).toBeCloseTo(1.3, 10);
  expect(rules).toEqual({
    breakdown: true,
    evidence: false,
    intents: ["SIGNALS"],
    retries: 1,
    byKind: true,
    ofThanks: 0,
    summaries: false,
  });
});

test("without them none is", async () => {
  const rules = await rulesOf(await trader([]));
  expect(rules).toMatchObject({ breakdown: false, retries: 0, byKind: false, summaries: true });
  expect(rules.boost).toBeUndefined();
});

test("one request ranks by signals if it says so", async () => {
  const { ask } = await trader([]);
  const { body } = await ask("POST /search", { query: QUESTION, ranking: "signals" });
  expect(body.data[0]).toHaveProperty("primary_signal");
});
