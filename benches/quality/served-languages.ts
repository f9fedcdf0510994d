// Measures questions in German and Spanish about English texts of the general memory, over HTTP, with
// default settings but for the model.

import { setTimeout as wait } from "node:timers/promises";
import type { RunningServer } from "../js/http-contestants.ts";
import { table } from "../results.ts";
import { draws, estimate } from "./bootstrap.ts";
import { shown } from "./evidence-report.ts";
import { askingOf, JUDGES, type Judge, judged, selected } from "./measure.ts";
import { DEPTH } from "./metrics.ts";
import { storeSet, withServer } from "./own-server.ts";
import { acrossSet } from "./own-sets.ts";

const MODELS = ["english", "multilingual-128", "multilingual"] as const;
/** Milliseconds between two questions whether memories wait for their vectors. */
const PAUSE = 500;

/** Starts servers and asks them. Returns a table in Markdown. */
export async function reportOnServedLanguages(): Promise<string> {
  const set = acrossSet();
  const { cases } = askingOf(set);
  const now = Math.max(...cases.map((one) => one.now));
  const rows: string[][] = [];
  for (const model of MODELS)
    await withServer({ now, options: ["--embeddings-model", model] }, async (server) => {
      const found = await answersOf(server, set);
      const halves = ["test", "dev", undefined].map((part) => {
        const keeps = (place: number) => part === undefined || set.questions[place]!.part === part;
        const system = { name: model, isCalibrated: true };
        const micros = found.map(() => 0);
        const half = selected(cases, [{ system, found, micros }], keeps);
        const drawn = draws(half.cases.length);
        return (Object.keys(JUDGES) as Judge[]).map((judge) =>
          shown(estimate(judged(half.cases, half.measured[0]!.found, judge), drawn)),
        );
      });
      rows.push([model, ...halves.flat()]);
      console.error(model);
    });
  const judges = Object.keys(JUDGES);
  const heads = ["test", "development", "all"].flatMap((part) =>
    judges.map((judge) => `${part}: ${judge}`),
  );
  return table([`${cases.length} questions`, ...heads], rows);
}

/** Stores a set, waits until its vectors are made, and asks its questions. */
async function answersOf(server: RunningServer, set: ReturnType<typeof acrossSet>) {
  const ids = await storeSet(server, set);
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  while ((await server.ask("GET //readyz")).body.embeddings?.waiting > 0) await wait(PAUSE);
  const found: { id: string; score: number }[][] = [];
  for (const { text } of set.questions) {
    const { body } = await server.ask("POST /search", { query: text, limit: DEPTH });
    const data: { id: string; score: number }[] = body.data;
    found.push(data.map(({ id, score }) => ({ id: names.get(id)!, score })));
  }
  return found;
}
