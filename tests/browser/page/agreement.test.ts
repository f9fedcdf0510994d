// The page and the server agree: the same question on the same export has the same memories with
// the same scores.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROGRAM, type Running, start } from "../../server/support/server-process.ts";
import { makeFolder, removeFolder } from "../../server/support/temporary-folder.ts";
import { some } from "../../support/amount.ts";
import { openBrowser } from "../support/page.ts";
import { tellConnection } from "./support.ts";
import { callWorker, noteWorkers } from "./worker-calls.ts";

const SAMPLES = fileURLToPath(new URL("../../../js/page/dist/samples", import.meta.url));
const run = promisify(execFile);
/** Scores of the server have four decimals. Recency may move the last one between two askings. */
const TOLERANCE = 1e-4 + 1e-9;

const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  general: [
    "Which milk should I buy for Theo?",
    "What did we do in Oban last summer?",
    "Who looks after the children on Tuesdays?",
    "How long do we keep the request logs?",
    "Wann bringe ich das Auto in die Werkstatt?",
    "What is the capital of Mongolia?",
    "What is Emi allergic to?",
    "Where does Kenji come from and what does he build?",
    "what did I decide last week",
    "latest deploy",
  ],
  trader: [
    "What lessons did I learn about funding?",
    "How did the last SOL trade go?",
    "Which playbook fits a funding squeeze?",
    "What is my BTC thesis?",
    "What did I miss in March?",
    "DOGE short",
    "How many trades did I close in November?",
    "why did I pass on ETH",
    "session summary of last Monday",
    "Who won the world cup?",
  ],
};
/** What this tier asks. */
const asked = Object.fromEntries(
  Object.entries(QUESTIONS).map(([sample, questions]) => [sample, some(questions, 2)]),
);

interface Asked {
  answers: { card: { id: string }; score: number }[];
}

let browser: Browser;
let server: Running;

beforeAll(async () => {
  browser = await openBrowser();
  const folder = makeFolder();
  // A search counts an access of what it finds, which moves later scores: each question has an
  // agent of its own.
  for (const [sample, questions] of Object.entries(asked)) {
    const file = join(SAMPLES, `${sample}.jsonl`);
    const importing = async (from: number) => {
      for (let at = from; at < questions.length; at += 2)
        await run(process.execPath, [
          ...[PROGRAM, "import", "--data-dir", folder],
          ...["--agent", `${sample}-${at}`, file],
        ]);
    };
    await Promise.all([importing(0), importing(1)]);
  }
  server = await start(folder, [], "file");
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await server?.end("SIGKILL");
  if (server !== undefined) removeFolder(server.dataDir);
});

describe.each(Object.keys(QUESTIONS))("questions to the sample %s", (sample) => {
  it("have the same answers with the same scores", async () => {
    const page = await browser.newPage();
    await noteWorkers(page);
    // The server has a table alone, and so has the page then.
    await tellConnection(page, { saveData: true });
    await page.goto(`${server.url}/#/memories?memory=general`);
    await page.getByLabel("Choose files").setInputFiles(join(SAMPLES, `${sample}.jsonl`));
    await page.getByRole("heading", { name: `${sample}.jsonl` }).waitFor();
    const lines = readFileSync(join(SAMPLES, `${sample}.jsonl`), "utf8");
    const count = lines.match(/^\{"kind":"node"/gm)!.length;
    for (const [at, question] of asked[sample]!.entries()) {
      const agent = { "x-nous-agent": `${sample}-${at}` };
      const search = { query: question, limit: 10 };
      // The first search of an agent waits for its index. It must not count: it is for health.
      expect((await server.ask("GET /health", undefined, agent)).body.node_count).toBe(count);
      const [there, here] = await Promise.all([
        server.ask("POST /search", search, agent),
        callWorker<Asked>(page, "ask", { question, limit: 10 }),
      ]);
      const found = there.body.data as { id: string; score: number }[];
      expect(
        here.answers.map(({ card }) => card.id),
        question,
      ).toEqual(found.map(({ id }) => id));
      for (const [place, { score }] of here.answers.entries())
        expect(Math.abs(score - found[place]!.score), `${question}, ${place}`).toBeLessThan(
          TOLERANCE,
        );
    }
    await page.close();
  });
});
