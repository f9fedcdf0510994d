// `npm run bench -- --http-filters`: measures reading calls of nous-server with filters over HTTP,
// beside the same calls without one. Prints the table, and writes it to benches/results/ and
// docs/benchmarks.md. `--small` runs everything on small memories as a test, and writes nothing.

import { loadavg } from "node:os";
import { Command } from "commander";
import { withServer } from "../quality/own-server.ts";
import { table, writeFigures } from "../results.ts";
import { makeTextMemories, makeTextQuestions, vocabularyOf } from "./evidence-inputs.ts";
import type { RunningServer } from "./http-contestants.ts";
import { tableOf } from "./token-tables.ts";
import { duration, quantile, whole } from "./units.ts";

const options = new Command("bench --http-filters")
  .option("--small", "small memories and few turns, to see that everything works")
  .option("--no-write", "leave benches/results/ and docs/ alone")
  .parse()
  .opts<{ small?: boolean; write: boolean }>();

/** The extent of a run: numbers of memories, and questions. */
const { sizes, questions } = options.small
  ? { sizes: [600], questions: 20 }
  : { sizes: [10_000, 100_000], questions: 80 };

/** Memories of one request, and questions in a row with one filter before the next filter's turn. */
const AT_ONCE = 100;
const IN_A_ROW = 20;
const DAY = 86_400_000;
const MARK = "figures of filters";

/** Each hundredth memory is of the same user, and has the same project; each tenth has the same tag. */
const USERS = 100;
const PROJECTS = 100;
const TAGS = 10;
const TYPES = ["fact", "episode", "procedure", "decision", "preference"] as const;

/** What a measured filter is, with a filter for a question's place. Undefined: no filter. */
const FILTERS: Readonly<Record<string, (place: number, count: number) => object | undefined>> = {
  "no filter": () => undefined,
  "`user`, 1 of 100": (place) => ({ user: `user ${place % USERS}` }),
  "`session`, 20 memories": (place, count) => ({
    session: `session ${(place * 37) % (count / 20)}`,
  }),
  "`tags.any`, 2 of 10": (place) => ({
    tags: { any: [`tag ${place % TAGS}`, `tag ${(place + 1) % TAGS}`] },
  }),
  "`tags.none`, 1 of 10": (place) => ({ tags: { none: [`tag ${place % TAGS}`] } }),
  "`type`, 1 of 5": (place) => ({ type: TYPES[place % TYPES.length] }),
  "`created`, a tenth of the time": () => ({
    created: { gte: new Date(Date.now() - 20 * DAY).toISOString() },
  }),
  "`event_time`, a tenth of the time": () => ({
    event_time: { gte: new Date(Date.now() - 20 * DAY).toISOString() },
  }),
  "`metadata`, 1 of 100": (place) => ({
    metadata: { "project.name": `project ${place % PROJECTS}` },
  }),
  "`metadata`, a range of 1 in 2": () => ({ metadata: { cost: { gte: 500 } } }),
  "`metadata`, a range of 1 in 100": () => ({ metadata: { cost: { gte: 990 } } }),
  "`metadata`, 1 memory": (place, count) => ({
    metadata: { message: `message ${(place * 101) % count}` },
  }),
  "`metadata`, no memory": () => ({ metadata: { absent: { exists: true } } }),
  "`user` and `metadata`, 1 of 10,000": (place) => ({
    user: `user ${place % USERS}`,
    metadata: { "project.name": `project ${place % PROJECTS}` },
  }),
};

/** The measured calls, each of a question and a filter. */
const CALLS: Readonly<
  Record<string, (query: string, filter: object | undefined) => [string, object]>
> = {
  search: (query, filter) => ["POST /search", { query, filter, recall: false }],
  prompt: (input, filter) => ["POST /context", { input, filter, recall: false }],
};

const HOW = `\`npm run bench -- --http-filters\`: the client and the server are processes of one machine, which talk over loopback on a
connection that stays open. The server has default settings. Memories have 40 English words by Zipf's law. Each hundredth memory is of one user, and each hundredth
has one \`project.name\` in its metadata, independently of its user; each has a \`message\` of its own in its metadata; sessions have twenty memories; one of five types, and one of ten tags. *Search* is \`POST /v1/search\` with ten results, *prompt* is
\`POST /v1/context\` of 1,500 tokens; none counts an access. Each of ${questions} questions is asked with each filter, ${IN_A_ROW} in a row with one filter before the next. A
time is from the first byte sent to the last that came; in brackets it is divided by the time without a filter. The machine's load over the last minute was`;

const vocabulary = vocabularyOf(tableOf(128));
const rows: string[][] = [];
const load = loadavg()[0]!.toFixed(1);
for (const count of sizes)
  await withServer({ now: Date.now() }, async (server) => {
    await fill(server, count);
    rows.push(...(await measure(server, count)));
  });
const head = [
  "memories",
  "filter",
  ...Object.keys(CALLS).flatMap((name) => [`${name}, 50 %`, "95 %"]),
];
console.log(table(head, rows));
if (options.write && !options.small) {
  const text = table(head, rows);
  writeFigures({
    ...{ name: "http-filters", title: "HTTP bench of filters" },
    ...{ how: HOW, load, text, mark: MARK },
  });
}

async function fill(server: RunningServer, count: number): Promise<void> {
  const now = Date.now();
  const items = makeTextMemories(vocabulary, count).map(({ title, text }, place) => ({
    type: TYPES[place % TYPES.length],
    content_title: title,
    content_body: text,
    created_at: new Date(now - 200 * DAY * (1 - place / count)).toISOString(),
    event_time: new Date(now - 200 * DAY * (1 - place / count)).toISOString(),
    user: `user ${place % USERS}`,
    session: `session ${Math.floor(place / 20)}`,
    tags: [`tag ${(place * 7) % TAGS}`],
    metadata: {
      project: { name: `project ${Math.floor(place / USERS) % PROJECTS}` },
      cost: (place * 389) % 1_000,
      message: `message ${place}`,
    },
  }));
  for (let from = 0; from < count; from += AT_ONCE)
    await server.ask("POST /nodes/batch", { items: items.slice(from, from + AT_ONCE) });
}

async function measure(server: RunningServer, count: number): Promise<string[][]> {
  const asked = makeTextQuestions(vocabulary, questions);
  const names = Object.keys(FILTERS);
  const taken = new Map<string, number[]>();
  // The first questions are a warm-up: they are asked again, and not measured before. The columns of
  // filters are read then.
  for (const isMeasured of [false, true]) {
    for (let first = 0; first < (isMeasured ? asked.length : IN_A_ROW); first += IN_A_ROW) {
      for (const filter of names) {
        for (const [call, requestOf] of Object.entries(CALLS)) {
          for (let place = first; place < Math.min(first + IN_A_ROW, asked.length); place++) {
            const [path, body] = requestOf(asked[place]!, FILTERS[filter]!(place, count));
            const { nanoseconds } = await server.ask(path, body);
            const key = `${filter} ${call}`;
            if (isMeasured) taken.set(key, [...(taken.get(key) ?? []), nanoseconds]);
          }
        }
      }
    }
  }
  const medianOf = (filter: string, call: string) => quantile(taken.get(`${filter} ${call}`)!, 0.5);
  return names.map((filter) => [
    whole(count),
    filter,
    ...Object.keys(CALLS).flatMap((call) => {
      const median = medianOf(filter, call);
      const ratio = (median / medianOf(names[0]!, call)).toFixed(2);
      const isPlain = filter === names[0];
      return [
        `${duration(median)}${isPlain ? "" : ` (${ratio}×)`}`,
        duration(quantile(taken.get(`${filter} ${call}`)!, 0.95)),
      ];
    }),
  ]);
}
