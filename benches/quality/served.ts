// Measures the answers of nous-server over HTTP, with default settings and its sample memory: what
// a user gets, with accesses that searches count, and with parts of questions.
//
// The questions name months and days of the sample that ends on 2026-03-15. The clock of the
// servers is set to that moment, so that `--sample` makes this sample, and recency is that of its
// end.

import type { Sample } from "../../js/sample/trader/index.ts";
import type { RunningServer } from "../js/http-contestants.ts";
import { OF_SECTIONS } from "./contestants.ts";
import { overallTable } from "./evidence-report.ts";
import { labelledSet, SETS, type SetName } from "./labelled-set.ts";
import { type Case, type Measured, selected } from "./measure.ts";
import { DEPTH } from "./metrics.ts";
import { withServer } from "./own-server.ts";

/** A way to ask a server. */
interface Served {
  readonly name: string;
  readonly call: "POST /search" | "POST /retrieve";
  /** Fields of the request beside the question. */
  readonly fields?: object;
  /** Lines of the server's YAML file. Default: none. */
  readonly settings?: string;
}

const OFF = OF_SECTIONS.map((kind) => `    ${kind}: 0\n`).join("");

const DEFAULT: Served = { name: "search", call: "POST /search", fields: { limit: DEPTH } };

/** Each has a server of its own, since searches count accesses. */
const WAYS: readonly Served[] = [
  DEFAULT,
  { name: "retrieve, no accesses", call: "POST /retrieve", fields: { recall: "none" } },
  {
    ...DEFAULT,
    name: "search, without sections",
    settings: `evidence:\n  weights:\n${OFF}`,
  },
  { ...DEFAULT, name: "search, weights `general`", settings: "preset: general\n" },
  { ...DEFAULT, name: "search by signals", settings: "ranking: signals\n" },
];

const TITLES: Readonly<Record<SetName, string>> = {
  test: "Templates, test",
  handwritten: "Handwritten",
  dev: "Templates, development",
};

/** A question of one of the sets. */
interface TraderCase extends Case {
  readonly set: SetName;
}

/**
 * Starts servers and asks them the questions of the trader's memory. Returns tables in Markdown.
 */
export async function reportOnServer(sample: Sample): Promise<string> {
  const cases = casesOf(sample);
  const measured: Measured[] = [];
  for (const way of WAYS) {
    const own = { now: sample.truth.end, settings: way.settings, options: ["--sample"] };
    await withServer(own, async (server) => {
      measured.push(await measureServed(server, way, cases));
    });
    console.error(way.name);
  }
  return SETS.map((set) => {
    const part = selected(cases, measured, (place) => cases[place]!.set === set);
    return `## ${TITLES[set]}: ${part.cases.length} questions\n\n${overallTable(part.cases, part.measured)}`;
  }).join("\n\n");
}

function casesOf(sample: Sample): TraderCase[] {
  const labelled = labelledSet(sample);
  return SETS.flatMap((set) =>
    labelled[set].map(({ text, kind, grades }) => ({
      ...{ set, text, kind, grades },
      now: sample.truth.end,
      outdated: [],
    })),
  );
}

async function measureServed(
  server: RunningServer,
  { name, call, fields }: Served,
  cases: readonly Case[],
): Promise<Measured> {
  const found: { id: string; score: number }[][] = [];
  const micros: number[] = [];
  for (const { text } of cases) {
    const { body, nanoseconds } = await server.ask(call, { query: text, ...fields });
    const data: { id: string; score: number }[] = body.data;
    found.push(data.slice(0, DEPTH).map(({ id, score }) => ({ id, score })));
    micros.push(nanoseconds / 1000);
  }
  return { system: { name, isCalibrated: !name.includes("signals") }, found, micros };
}
