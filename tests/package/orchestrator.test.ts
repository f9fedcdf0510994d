// The orchestrator of nous-wasm against the plain-TypeScript reference: its answer matches for any
// behaviour of the searches; it ends by its deadline or on abort; it leaves no timer or listener
// behind; and its trace records every step. The tests use fake time.

import { getEventListeners } from "node:events";
import fc from "fast-check";
import * as nous from "nous-wasm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { coRecallPairs } from "../../js/reference/merge.ts";
import * as reference from "../../js/reference/orchestrator.ts";
import { same } from "../parity/support/same.ts";
import { runs, some } from "../support/amount.ts";

interface Row extends nous.FoundRow {
  id: string;
  score: number;
}
type Script = reference.Script<Row>;
type Scripted = reference.Scripted<Row>;
type Orchestrator = nous.Orchestrator<Row>;
type Search = nous.RetrievalSearch<Row>;

const NEVER = Number.POSITIVE_INFINITY;
const { timeoutSeconds } = reference.ORCHESTRATOR_DEFAULTS;
const DEADLINE = timeoutSeconds * 1000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 15) });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const orchestratorOf = (search: Search, config?: nous.OrchestratorConfig): Orchestrator =>
  nous.createOrchestrator({ search, ranking: "signals", config: { orchestrator: config } });

/** One call of a search, and its outcome. */
interface Call {
  query: string;
  limit: number;
  filters: unknown;
  now: number;
  signal: AbortSignal;
  /** Whether the search settled before it was aborted; undefined if it never settled. */
  isInTime: boolean;
}

/** A scripted search: it answers at once, or from its own timer. */
class Searches {
  readonly calls: Call[] = [];
  /** Timers that have not fired. */
  timers = 0;

  constructor(readonly script: Script) {}

  readonly search: Search = (query, options) => {
    const call: Call = { query, ...options, isInTime: false };
    this.calls.push(call);
    const scripted = this.script(query, options.filters, options.limit);
    const finish = (): readonly Row[] => {
      call.isInTime = !call.signal.aborted;
      if ("failure" in scripted) throw new Error(scripted.failure);
      return scripted.rows;
    };
    if (scripted.after === 0) return finish();
    if (scripted.after === NEVER) return new Promise(() => {});
    this.timers++;
    return new Promise((resolve, reject) => {
      setTimeout(() => {
        this.timers--;
        try {
          resolve(finish());
        } catch (error) {
          reject(error);
        }
      }, scripted.after);
    });
  };
}

type Ending = { value: nous.Retrieved<Row> } | { error: unknown };

/** The outcome of a retrieval so far. */
function watch(retrieval: Promise<nous.Retrieved<Row>>): { ending?: Ending } {
  const watched: { ending?: Ending } = {};
  retrieval.then(
    (value) => {
      watched.ending = { value };
    },
    (error) => {
      watched.ending = { error };
    },
  );
  return watched;
}

/** Advances the clock by this time and returns the retrieval's outcome. */
async function ending(
  retrieval: Promise<nous.Retrieved<Row>>,
  milliseconds = DEADLINE,
): Promise<Ending> {
  const watched = watch(retrieval);
  await vi.advanceTimersByTimeAsync(milliseconds);
  return watched.ending ?? expect.fail(`it had not ended after ${milliseconds} ms`);
}

async function retrieved(retrieval: Promise<nous.Retrieved<Row>>): Promise<nous.Retrieved<Row>> {
  const ended = await ending(retrieval);
  if ("error" in ended) throw ended.error;
  return ended.value;
}

async function refused(retrieval: Promise<nous.Retrieved<Row>>): Promise<nous.NousError> {
  const ended = await ending(retrieval);
  if ("value" in ended) expect.fail("it was answered");
  if (!(ended.error instanceof nous.NousError)) throw ended.error;
  return ended.error;
}

/** Strips the times, the only fields in which two retrievals may differ. */
function timeless(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(timeless);
  const entries = Object.entries(value).filter(([key]) => key !== "ms");
  return Object.fromEntries(entries.map(([key, entry]) => [key, timeless(entry)]));
}

function expectSame(actual: unknown, expected: unknown): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(difference);
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null)
    Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/** A question, and the expected outcome of its searches. */
interface Case {
  question: string;
  script: Script;
  config?: Partial<reference.Terms>;
  filters?: reference.Filters | undefined;
}

/** Retrieves the question, and compares the answer, the calls and the trace with the reference. */
async function expectLikeTwin({ question, script, config, filters }: Case): Promise<void> {
  const searches = new Searches(script);
  const retrieval = orchestratorOf(searches.search, config).retrieve(question, freeze({ filters }));
  expectEndingLikeTwin(
    question,
    await ending(retrieval),
    reference.retrieve(question, script, config, filters),
  );
  // Exactly the late searches were aborted; only their timers remain.
  for (const { signal, isInTime } of searches.calls) {
    expect(signal.aborted).toBe(!isInTime);
    if (!isInTime) expect(signal.reason).toMatchObject({ name: "TimeoutError" });
  }
  expect(vi.getTimerCount()).toBe(searches.timers);
  vi.clearAllTimers();
}

function expectEndingLikeTwin(
  question: string,
  ended: Ending,
  expected: reference.Outcome<Row>,
): void {
  if ("failed" in expected) {
    const { failed, late } = expected;
    expect(ended).toMatchObject({ error: { code: "search_failed", details: { field: "search" } } });
    expect(String((ended as { error: unknown }).error)).toContain(
      `(${failed} failed, ${late} late)`,
    );
    return;
  }
  if ("error" in ended) throw ended.error;
  const { nodes, groups, trace } = ended.value;
  const { classification, confidence, ...steps } = timeless(trace) as Record<string, unknown>;
  expectSame({ nodes, groups, ...steps }, { query: question, ...expected });
  expectSame(JSON.parse(JSON.stringify(trace)), trace);
  expect(classification).toBeDefined();
  expect(confidence).toBeDefined();
}

// ---- scripted searches --------------------------------------------------------------------------

/** Deterministic pseudo-random numbers in [0, 1), seeded by a text. */
function* numbersFor(text: string): Generator<number, never> {
  let state = 2166136261;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0)!, 16777619);
  for (;;) {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    yield (state >>> 8) / 2 ** 24;
  }
}

const SUBTYPES = ["custom:lesson", "custom:signal", "custom:trade", "custom:playbook", undefined];

/**
 * Rows that a search for a text finds: the best score is `top`; some rows also come up in other
 * searches, some have no title.
 */
function rowsFor(text: string, top: number, count = 6): Row[] {
  const numbers = numbersFor(text);
  const next = (): number => numbers.next().value;
  return freeze(
    Array.from({ length: count }, (_, place): Row => {
      const id = next() < 0.3 ? `shared ${Math.floor(next() * 5)}` : `${text} ${place}`;
      const titles = [
        { content_title: `on ${id}` },
        { title: `about ${id}` },
        { content_title: " xy " },
        {},
      ];
      return {
        id,
        score: place === 0 ? top : top * next(),
        subtype: SUBTYPES[Math.floor(next() * SUBTYPES.length)],
        ...titles[Math.floor(next() * titles.length)],
      };
    }),
  );
}

const found = (text: string, after = 0, top = 0.55): Scripted => ({
  after,
  rows: rowsFor(text, top),
});
const nothing = (after = 0): Scripted => ({ after, rows: [] });
const failure = (text: string, after = 0): Scripted => ({ after, failure: `no ${text}` });

/** The behaviours of a search for a part, on its first and its second call. */
const KINDS: Record<string, (text: string) => [first: Scripted, second?: Scripted]> = {
  quick: (text) => [found(text)],
  "slow, in time": (text) => [found(text, 1000)],
  never: () => [nothing(NEVER)],
  late: (text) => [found(text, DEADLINE + 1000)],
  "just late": (text) => [found(text, DEADLINE)],
  "failing late": (text) => [failure(text, DEADLINE + 500)],
  rejected: (text) => [failure(text, 10)],
  throwing: (text) => [failure(text)],
  empty: () => [nothing(5), nothing()],
  "empty, then found": (text) => [nothing(), found(text, 700)],
  "weak, then better": (text) => [found(text, 20, 0.15), found(`more ${text}`, 20)],
  "weak, then worse": (text) => [found(text, 0, 0.15), found(`less ${text}`, 30, 0.1)],
  "weak, then equal": (text) => [found(text, 0, 0.15), found(`other ${text}`, 0, 0.15)],
  "weak, then failing": (text) => [found(text, 900, 0.1), failure(text, 900)],
  "weak, then late": (text) => [found(text, 1500, 0.1), found(text, 1500)],
  "the same again": (text) => [found(text)],
};
const KIND_NAMES = Object.keys(KINDS);

/** Behaviours of searches for titles. */
const TITLE_KINDS: ((title: string) => Scripted)[] = [
  (title) => found(title, 0, 0.4),
  (title) => found(title, 100, 0.3),
  (title) => found(title, 1200, 0.45),
  (title) => found(title, 0, 0.01),
  (title) => failure(title),
  (title) => failure(title, 50),
  () => nothing(),
  () => nothing(NEVER),
];

/** Subjects of the parts; two of them name a section. */
const SUBJECTS = ["alpha", "the lessons", "charlie", "each signal"];

/** A question with one part per behaviour, and the script of each part's search. */
function scripted(kinds: readonly string[]): { question: string; script: Script } {
  const subjects = kinds.map((kind, part) =>
    kind === "the same again" ? SUBJECTS[0]! : SUBJECTS[part]!,
  );
  const question = subjects.map((subject) => `what is ${subject}?`).join(" ");
  const answers = new Map<string, Scripted>();
  // If parts are equal, the first one's behaviour applies.
  for (let part = kinds.length - 1; part >= 0; part--) {
    const subject = subjects[part]!;
    const [first, second = nothing()] = KINDS[kinds[part]!]!(subject);
    answers.set(`what is ${subject}`, first).set(`what is ${subject}?`, first).set(subject, second);
  }
  const script: Script = (query) => {
    const answer = answers.get(query);
    if (answer !== undefined) return answer;
    if (query === question) return found(query, 200);
    return TITLE_KINDS[Math.floor(numbersFor(query).next().value * TITLE_KINDS.length)]!(query);
  };
  return { question, script };
}

/** Every list of this length over the given items. */
function lists<T>(of: readonly T[], length: number): T[][] {
  return length === 0
    ? [[]]
    : lists(of, length - 1).flatMap((list) => of.map((one) => [...list, one]));
}

// ---- answers ------------------------------------------------------------------------------------

describe("the orchestrator's answer", () => {
  test.each([
    [1, KIND_NAMES],
    [2, KIND_NAMES],
    [3, KIND_NAMES],
    [4, ["quick", "never", "rejected", "empty", "weak, then better", "the same again"]],
  ])("equals the reference's for every combination of %i parts", async (count, kinds) => {
    for (const list of some(lists(kinds, count), 60)) {
      await expectLikeTwin(scripted(list)).catch((cause: Error) => {
        throw new Error(`${list.join(" | ")}: ${cause.message}`, { cause });
      });
    }
  });

  test("equals the reference's under any configuration and with any filters", async () => {
    const config = fc.record({
      enabled: fc.oneof(
        { weight: 9, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
      maxParts: fc.integer({ min: 1, max: 5 }),
      searchLimitPerQuery: fc.integer({ min: 1, max: 50 }),
      qualityThreshold: fc.constantFrom(0, 0.15, 0.2, 0.6),
      maxRetries: fc.constantFrom(0, 1),
      retry: fc.constantFrom("merge" as const, "replace" as const),
      timeoutSeconds: fc.constantFrom(0.5, 1, 2, 3),
      maxResults: fc.constantFrom(1, 2, 3, 5, 20),
      relevanceRatio: fc.constantFrom(0, 0.2, 0.4, 1),
      maxReplacements: fc.integer({ min: 0, max: 4 }),
      replacementFloor: fc.constantFrom(null, 0, 0.25, 0.5, 2),
      fallback: fc.constantFrom("none" as const, "plain" as const),
    });
    const filters = fc.constantFrom<(reference.Filters | undefined)[]>(
      undefined,
      { agent: "a" },
      { subtype: "custom:lesson" },
      { agent: "a", subtypes: ["custom:lesson"], subtype: null },
    );
    const kinds = fc.array(fc.constantFrom(...KIND_NAMES), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(kinds, config, filters, async (kinds, config, filters) => {
        await expectLikeTwin({ ...scripted(kinds), config, filters });
      }),
      runs(2000),
    );
  });

  test("does not depend on the order in which searches finish", async () => {
    const orders = permutations([0, 400, 800, 1200]);
    expect(orders).toHaveLength(24);
    const { question } = scripted(["quick", "quick", "quick", "quick"]);
    const answers = [];
    for (const delays of orders) {
      const { search } = new Searches((query) => {
        const part = SUBJECTS.findIndex((subject) => query === `what is ${subject}`);
        return part < 0 ? nothing() : found(query, delays[part]);
      });
      answers.push(timeless(await retrieved(orchestratorOf(search).retrieve(question))));
    }
    for (const answer of answers) expectSame(answer, answers[0]);
  });

  test("ignores marks that an earlier merge left on results", async () => {
    const stale = { _original_score: 0.01, _intent_boosted: true };
    const lesson = { id: "lesson", subtype: "custom:lesson", content_title: "A lesson" };
    const rows = [
      { ...lesson, score: 0.6 },
      { id: "signal", subtype: "custom:watchpoint", content_title: "A signal", score: 0.9 },
    ];
    for (const config of [{}, { enabled: false }]) {
      const traceOf = async (rows: object[]) => {
        const { retrieve } = orchestratorOf(() => rows as unknown as Row[], config);
        const answer = await retrieved(retrieve("what lessons did we learn about funding?"));
        return (timeless(answer) as nous.Retrieved).trace;
      };
      const trace = await traceOf(rows);
      expectSame(await traceOf(rows.map((row) => ({ ...row, ...stale }))), trace);
      if (config.enabled !== false)
        expect(trace.merge!.boosted).toMatchObject([{ id: "lesson", from: 0.6 }]);
    }
  });

  test("is the same for searches that return arrays, promises or other thenables", async () => {
    const rows = rowsFor("rows", 0.8);
    // biome-ignore lint/suspicious/noThenProperty: a thenable that is no promise
    const thenable: PromiseLike<Row[]> = { then: (done) => Promise.resolve(rows).then(done) };
    const answers = [];
    for (const answer of [rows, Promise.resolve(rows), thenable]) {
      answers.push(timeless(await retrieved(orchestratorOf(() => answer).retrieve("rows"))));
    }
    expectSame(answers[1], answers[0]);
    expectSame(answers[2], answers[0]);
  });
});

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, place) =>
    permutations(list.toSpliced(place, 1)).map((rest) => [first, ...rest]),
  );
}

// ---- search calls -------------------------------------------------------------------------------

describe("the orchestrator's search calls", () => {
  const asked = async (
    script: Script,
    question: string,
    config = {},
    options: nous.RetrieveOptions = {},
  ) => {
    const searches = new Searches(script);
    await ending(orchestratorOf(searches.search, config).retrieve(question, options));
    return searches.calls.map(({ query, limit, filters }) => ({ query, limit, filters }));
  };

  test("start all parts at once, each with `searchLimitPerQuery`, the caller's own filters and one `now`", async () => {
    const filters = freeze({ tags: ["x"], subtype: "custom:lesson" });
    const searches = new Searches(() => nothing(NEVER));
    const retrieval = orchestratorOf(searches.search, { searchLimitPerQuery: 7 }).retrieve(
      "what is one? what is two?",
      {
        filters,
        now: "2026-01-02",
      },
    );
    const now = Date.UTC(2026, 0, 2);
    expect(searches.calls).toMatchObject([
      { query: "what is one", limit: 7, now },
      { query: "what is two", limit: 7, now },
    ]);
    for (const call of searches.calls) expect(call.filters).toBe(filters);
    const [one, two] = searches.calls;
    expect(one!.signal).not.toBe(two!.signal);
    await ending(retrieval);
  });

  test("use the clock's time unless `now` is given", async () => {
    const searches = new Searches(() => nothing());
    const { retrieve } = orchestratorOf(searches.search);
    await retrieved(retrieve("anything"));
    await retrieved(retrieve("anything", { now: new Date(5) }));
    expect(searches.calls.map(({ now }) => now)).toEqual([Date.UTC(2026, 0, 15), 5]);
  });

  test("search parts of equal text once", async () => {
    const { question, script } = scripted(["quick", "the same again", "the same again"]);
    expect(
      (await asked(script, question, { maxReplacements: 0 })).map(({ query }) => query),
    ).toEqual(["what is alpha"]);
  });

  test("skip a part that consists of commas, and search the whole question if every part does", async () => {
    const queries = async (question: string) =>
      (await asked(() => nothing(), question, { maxRetries: 0 })).map(({ query }) => query);
    expect(await queries("relate alpha also ,,, also beta")).toEqual(["relate alpha", "beta"]);
    const nothingButCommas = ",,, also ,,,, also vs";
    expect(nous.understand(nothingButCommas).parts).toEqual(["", ""]);
    expect(await queries(nothingButCommas)).toEqual([nothingButCommas]);
  });

  test("retry a part with other words and without the subtype filters", async () => {
    const filters = freeze({ subtype: "custom:lesson", subtypes: ["custom:lesson"], tags: ["x"] });
    expect(await asked(() => nothing(), "what is alpha?", {}, { filters })).toEqual([
      { query: "what is alpha?", limit: 25, filters },
      { query: "alpha", limit: 25, filters: { tags: ["x"] } },
    ]);
    // No synonyms exist for it.
    expect(await asked(() => nothing(), "alpha", {}, { filters: { subtypes: [] } })).toEqual([
      { query: "alpha", limit: 25, filters: { subtypes: [] } },
      { query: "alpha", limit: 25, filters: {} },
    ]);
    expect(await asked(() => nothing(), "alpha", {}, { filters: { subtype: null } })).toHaveLength(
      1,
    );
    expect(await asked(() => nothing(), "alpha")).toEqual([
      { query: "alpha", limit: 25, filters: undefined },
    ]);
    expect(await asked(() => nothing(), "what is alpha?", { maxRetries: 0 })).toHaveLength(1);
    expect(
      await asked(() => found("alpha"), "what is alpha?", { maxReplacements: 0 }),
    ).toHaveLength(1);
  });

  test("retry a part without synonyms by its subject", async () => {
    const queries = (await asked(() => nothing(), "BTC's target? SOL's target?")).map(
      ({ query }) => query,
    );
    expect(queries).toEqual(["BTC's target", "SOL's target", "BTC", "SOL"]);
  });

  test("search the title of a weak result, for three rows, with the caller's filters", async () => {
    const weak = { id: "weak", score: 0.3, content_title: "  A title ", title: "another" };
    const filters = freeze({ subtype: "custom:lesson" });
    const script: Script = (query) => ({ after: 0, rows: query === "alpha" ? [weak] : [] });
    expect(await asked(script, "alpha", { replacementFloor: 0.31 }, { filters })).toEqual([
      { query: "alpha", limit: 25, filters },
      { query: "A title", limit: 3, filters },
    ]);
    expect(await asked(script, "alpha", { replacementFloor: 0.3 }, { filters })).toHaveLength(1);
    expect(await asked(script, "alpha", { replacementFloor: null }, { filters })).toHaveLength(1);
    expect(
      await asked(script, "alpha", { replacementFloor: 0.31, maxReplacements: 0 }),
    ).toHaveLength(1);
  });

  test("search only the whole question if it has one part or the orchestrator is off", async () => {
    const { question, script } = scripted(["quick", "quick"]);
    const rest = { maxReplacements: 0 };
    expect(await asked(script, question, { maxParts: 1, ...rest })).toMatchObject([
      { query: question, limit: 25 },
    ]);
    expect(await asked(script, question, { enabled: false, maxResults: 9 })).toMatchObject([
      { query: question, limit: 9 },
    ]);
    expect(await asked(() => nothing(), question, { enabled: false })).toHaveLength(1);
  });

  test("search both subjects of a question if the configuration asks for it", async () => {
    const question = "compare the status of BTC with SOL";
    const parts = async (config: nous.OrchestratorConfig) =>
      (await asked(() => found("x"), question, { maxReplacements: 0, ...config })).map(
        ({ query }) => query,
      );
    expect(await parts({})).toEqual([question]);
    expect(await parts({ bySubject: true })).toEqual(["BTC status", "SOL status"]);
  });
});

// ---- deadlines and aborts -----------------------------------------------------------------------

/** Scripts in which every search answers up to a stage, and one search of that stage never does. */
const STAGES: {
  stage: string;
  script: Script;
  config?: nous.OrchestratorConfig;
  started: string[];
}[] = [
  {
    stage: "a part",
    script: (query) => (query === "what is two" ? nothing(NEVER) : found(query, 100)),
    started: ["what is one", "what is two"],
  },
  {
    stage: "a second attempt",
    script: (query) =>
      query === "two" ? nothing(NEVER) : query === "what is two" ? nothing(100) : found(query),
    started: ["what is one", "what is two", "two"],
  },
  {
    stage: "a weak result's title",
    script: (query) => {
      if (query === "its title") return nothing(NEVER);
      const weak = { id: "weak", score: 0.22, content_title: "its title" };
      return { after: 100, rows: query === "what is two" ? [weak] : [{ id: "good", score: 0.3 }] };
    },
    started: ["what is one", "what is two", "its title"],
  },
  {
    stage: "the fallback",
    script: (query) => (query.startsWith("what is one?") ? nothing(NEVER) : failure(query, 100)),
    config: { fallback: "plain" },
    started: ["what is one", "what is two", "what is one? what is two?"],
  },
];

describe.each(STAGES)("during $stage", ({ stage, script, config, started }) => {
  const begin = (signal?: AbortSignal) => {
    const searches = new Searches(script);
    const retrieval = orchestratorOf(searches.search, config).retrieve(
      "what is one? what is two?",
      { signal },
    );
    return { searches, retrieval };
  };

  test("a timeout ends the retrieval at the deadline with the results so far", async () => {
    const { searches, retrieval } = begin();
    const watched = watch(retrieval);
    await vi.advanceTimersByTimeAsync(DEADLINE - 1);
    expect(watched.ending).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(watched.ending).toHaveProperty(stage === "the fallback" ? "error" : "value");
    expect(searches.calls.map(({ query }) => query)).toEqual(started);
    for (const { signal, isInTime } of searches.calls) expect(signal.aborted).toBe(!isInTime);
    expect(searches.calls.at(-1)!.signal.reason).toMatchObject({ name: "TimeoutError" });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("an abort ends the retrieval at once with the caller's reason", async () => {
    const controller = new AbortController();
    const { searches, retrieval } = begin(controller.signal);
    retrieval.catch(() => {});
    await vi.advanceTimersByTimeAsync(200);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    const reason = { because: "the user left" };
    controller.abort(reason);
    expect(await ending(retrieval, 0)).toEqual({ error: reason });
    expect(searches.calls.map(({ query }) => query)).toEqual(started);
    for (const { signal, isInTime } of searches.calls) {
      expect(signal.aborted).toBe(!isInTime);
      if (!isInTime) expect(signal.reason).toBe(reason);
    }
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the deadline", () => {
  test("covers all steps together", async () => {
    const script: Script = (query) => (query === "alpha" ? found(query, 2000) : nothing(2000));
    const searches = new Searches(script);
    const { nodes, trace } = await retrieved(
      orchestratorOf(searches.search).retrieve("what is alpha?"),
    );
    expect(nodes).toEqual([]);
    expect(trace.parts).toMatchObject([
      { outcome: "empty", ms: 2000, retry: { outcome: "late", ms: 1000 } },
    ]);
    expect(trace.ms).toEqual({ understand: 0, search: 3000, merge: 0, replace: 0, total: 3000 });
  });

  test("stops new searches after it, even if blocking searches keep its timer from firing", async () => {
    const clock = vi.spyOn(performance, "now");
    let now = 0;
    clock.mockImplementation(() => now);
    const { question } = scripted(["quick", "quick"]);
    const queries: string[] = [];
    const { trace, nodes } = await retrieved(
      orchestratorOf((query) => {
        queries.push(query);
        now += DEADLINE;
        return rowsFor(query, 0.5);
      }).retrieve(question),
    );
    expect(queries).toHaveLength(1);
    expect(trace.parts).toMatchObject([{ outcome: "ok" }, { outcome: "late", results: 0, ms: 0 }]);
    expect(nodes.length).toBeGreaterThan(0);
  });

  test("stops new searches after its timer, even if the clock lags behind the timer", async () => {
    vi.spyOn(performance, "now").mockReturnValue(0);
    const script: Script = (query) => {
      if (query === "what is two") return nothing(NEVER);
      return { after: 0, rows: [{ id: "weak", score: 0.24, title: "its title" }] };
    };
    const searches = new Searches(script);
    const { trace } = await retrieved(
      orchestratorOf(searches.search).retrieve("what is one? what is two?"),
    );
    expect(searches.calls).toHaveLength(2);
    expect(trace.titles).toMatchObject([{ id: "weak", outcome: "late" }]);
  });

  test("discards late answers and late failures", async () => {
    const { question, script } = scripted(["quick", "late", "failing late"]);
    const searches = new Searches(script);
    const answer = await retrieved(
      orchestratorOf(searches.search, { maxReplacements: 0 }).retrieve(question),
    );
    const before = JSON.stringify(answer);
    expect(searches.timers).toBe(2);
    await vi.runAllTimersAsync();
    expect(searches.timers).toBe(0);
    expect(JSON.stringify(answer)).toBe(before);
  });

  test("defaults to three seconds, also if no search settles or heeds its signal", async () => {
    for (const config of [undefined, {}, { timeoutSeconds: undefined }] as const) {
      const search = vi.fn<Search>(() => new Promise(() => {}));
      const watched = watch(orchestratorOf(search, config).retrieve("what is alpha? what is two?"));
      await vi.advanceTimersByTimeAsync(2999);
      expect(watched.ending).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(watched.ending).toMatchObject({ error: { code: "search_failed" } });
      expect(search).toHaveBeenCalledTimes(2);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  test("raises an error that names every missing search if no results came", async () => {
    const { question, script } = scripted(["never", "never"]);
    const error = await refused(
      orchestratorOf(new Searches(script).search, { fallback: "plain" }).retrieve(question),
    );
    expect(error.message).toBe(
      "search answered none of 2 (0 failed, 2 late): no answer within 3 s",
    );
    expect(error.cause).toMatchObject({ name: "TimeoutError" });
  });
});

describe("the caller's signal", () => {
  test("prevents all searches if it is aborted already", async () => {
    const search = vi.fn(() => []);
    const reason = new Error("before");
    const signal = AbortSignal.abort(reason);
    await expect(orchestratorOf(search).retrieve("alpha", { signal })).rejects.toBe(reason);
    expect(search).not.toHaveBeenCalled();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends the retrieval if a search aborts it, even the last one", async () => {
    for (const last of [1, 2]) {
      const controller = new AbortController();
      const { signal } = controller;
      const { question } = scripted(["quick", "quick"]);
      const search = vi.fn((query: string) => {
        if (search.mock.calls.length === last) controller.abort("enough");
        return rowsFor(query, 0.5);
      });
      await expect(orchestratorOf(search).retrieve(question, { signal })).rejects.toBe("enough");
      expect(search).toHaveBeenCalledTimes(last);
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
    }
  });

  test("ends the retrieval if it is aborted after the last search but before the end", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const search: Search = () => {
      queueMicrotask(() => queueMicrotask(() => controller.abort("enough")));
      return rowsFor("x", 0.5);
    };
    const orchestrator = orchestratorOf(search, { maxReplacements: 0 });
    await expect(orchestrator.retrieve("alpha", { signal })).rejects.toBe("enough");
  });

  test("has no effect after the end, and keeps no listeners", async () => {
    const controller = new AbortController();
    const searches = new Searches((query) => found(query, 10));
    const { signal } = controller;
    await retrieved(orchestratorOf(searches.search).retrieve("alpha", { signal }));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    controller.abort();
    for (const call of searches.calls) expect(call.signal.aborted).toBe(false);
  });

  test("can serve several retrievals at once", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { retrieve } = orchestratorOf(() => new Promise<Row[]>(() => {}));
    const endings = ["one", "two", "three"].map((query) => ending(retrieve(query, { signal }), 10));
    controller.abort("over");
    expect(await Promise.all(endings)).toEqual(Array(3).fill({ error: "over" }));
    expect(vi.getTimerCount()).toBe(0);
  });
});

// ---- failures -----------------------------------------------------------------------------------

describe("a failing search", () => {
  /** The ways in which a search can fail, and how the trace reports each. */
  const FAILURES: [string, () => unknown, string][] = [
    ["throws", () => raise(new TypeError("no such thing")), "no such thing"],
    ["throws text", () => raise("out of order"), '"out of order"'],
    ["throws nothing", () => raise(undefined), "undefined"],
    ["throws an error without words", () => raise(new Error("")), "an object"],
    ["is rejected", () => Promise.reject(new Error("connection refused")), "connection refused"],
    ["throws an error that cannot be read", () => raise(unreadableError()), "an object"],
    ["is rejected with one", () => Promise.reject(unreadableError()), "an object"],
    [
      "is rejected with a proxy that is revoked",
      () => Promise.reject(revoked()),
      "a value that cannot be read",
    ],
    [
      "throws an error whose message cannot be read",
      () => raise(errorWithoutMessage()),
      "an object",
    ],
    [
      "is rejected with one whose message cannot be read",
      () => Promise.reject(errorWithoutMessage()),
      "an object",
    ],
    ["gives a thenable whose then cannot be read", () => thenless(), "an object"],
    ["gives null", () => null, "search must give an array of results, found null"],
    ["gives nothing", () => undefined, "search must give an array of results, found undefined"],
    [
      "gives an object",
      () => ({ nodes: [] }),
      "search must give an array of results, found an object",
    ],
    ["gives text", async () => "rows", 'search must give an array of results, found "rows"'],
    [
      "gives a null among results",
      () => [{ id: "a" }, null],
      "results[1] must be an object, found null",
    ],
    ["gives a gap among results", () => Array(2), "results[0] must be an object, found undefined"],
    ["gives text among results", async () => ["a"], 'results[0] must be an object, found "a"'],
    ["gives a result that cannot be read", () => [unreadable("id")], "not to be read"],
    [
      "gives a result whose title cannot be read",
      () => [unreadable("content_title")],
      "not to be read",
    ],
    [
      "gives a result with another field that cannot be read",
      () => [unreadable("extra")],
      "not to be read",
    ],
  ];

  test.each(FAILURES)("that %s loses only its own results", async (_, fail, why) => {
    const search = ((query: string) =>
      query === "what is alpha" ? fail() : rowsFor(query, 0.5)) as Search;
    const { question } = scripted(["quick", "quick"]);
    const { nodes, trace } = await retrieved(orchestratorOf(search).retrieve(question));
    expect(trace.parts).toMatchObject([
      { outcome: "failed", results: 0, top_score: null, error: why },
      { outcome: "ok" },
    ]);
    expect(nodes.length).toBeGreaterThan(0);
    expect(new Set(nodes.map((node) => node._sub_query_group))).toEqual(new Set([1]));
  });

  test.each(FAILURES)("that %s is an error if it is the only search", async (_, fail, why) => {
    const error = await refused(orchestratorOf(fail as Search).retrieve("alpha"));
    expect(error.code).toBe("search_failed");
    expect(error.message).toBe(`search answered none of 1 (1 failed, 0 late): ${why}`);
  });

  test("raises an error with the first failure as its cause if all parts fail", async () => {
    const errors = [new Error("the first"), new Error("the second")];
    const search: Search = (query) => {
      // The first part's failure comes last.
      if (query === "what is alpha")
        return new Promise((_, reject) => setTimeout(reject, 100, errors[0]));
      throw errors[1];
    };
    const { question } = scripted(["quick", "quick"]);
    const error = await refused(orchestratorOf(search).retrieve(question));
    expect(error).toMatchObject({ code: "search_failed", details: { field: "search" } });
    expect(error.message).toBe("search answered none of 2 (2 failed, 0 late): the first");
    expect(error.cause).toBe(errors[0]);
  });

  test("is the cause of the error if the other search is late", async () => {
    const { question, script } = scripted(["never", "rejected"]);
    const error = await refused(orchestratorOf(new Searches(script).search).retrieve(question));
    expect(error.message).toBe("search answered none of 2 (1 failed, 1 late): no the lessons");
    expect(error.cause).toMatchObject({ message: "no the lessons" });
  });

  test.each([undefined, "plain"] as const)(
    "is replaced by one plain search if all parts fail, by default too (%s)",
    async (fallback) => {
      const { question, script } = scripted(["rejected", "throwing"]);
      const searches = new Searches(script);
      const config = { fallback, maxResults: 3 };
      const { nodes, groups, trace } = await retrieved(
        orchestratorOf(searches.search, config).retrieve(question),
      );
      expect(nodes).toEqual(
        rowsFor(question, 0.55)
          .slice(0, 3)
          .map((row) => ({ ...row, _sub_query_group: 0 })),
      );
      expect(groups).toEqual([nodes.map(({ id }) => id)]);
      expect(trace).toMatchObject({
        mode: "fallback",
        merge: null,
        fallback: { query: question, outcome: "ok" },
      });
      expect(searches.calls.at(-1)).toMatchObject({ query: question, limit: 3 });
    },
  );

  test("gives the plain search's answer if all parts fail, even an empty one", async () => {
    const { question, script } = scripted(["rejected", "throwing"]);
    const { search } = new Searches((query, filters, limit) =>
      query === question ? nothing() : script(query, filters, limit),
    );
    const { nodes, trace } = await retrieved(
      orchestratorOf(search, { fallback: "plain" }).retrieve(question),
    );
    expect(nodes).toEqual([]);
    expect(trace).toMatchObject({ mode: "fallback", fallback: { outcome: "empty" } });
  });

  test("raises the parts' error if the plain search fails too", async () => {
    const search: Search = (query) => raise(new Error(query));
    const { question } = scripted(["quick", "quick"]);
    const error = await refused(orchestratorOf(search, { fallback: "plain" }).retrieve(question));
    expect(error.message).toBe("search answered none of 2 (2 failed, 0 late): what is alpha");
  });

  test("raises the error at once if the plain search is switched off", async () => {
    const { question, script } = scripted(["rejected", "throwing"]);
    const searches = new Searches(script);
    const error = await refused(
      orchestratorOf(searches.search, { fallback: "none" }).retrieve(question),
    );
    expect(error.message).toContain("search answered none of 2 (2 failed, 0 late)");
    expect(searches.calls.map(({ query }) => query)).not.toContain(question);
  });

  test("differs from a search that finds nothing, which is no failure", async () => {
    const { question, script } = scripted(["rejected", "empty"]);
    const { nodes, groups, trace } = await retrieved(
      orchestratorOf(new Searches(script).search).retrieve(question),
    );
    expect([nodes, groups]).toEqual([[], []]);
    expect(trace.confidence).toEqual({
      ...{ score: 0, level: "LOW", breakdown: { mq: 0, dt: 0, cm: 0 }, flags: ["no_results"] },
    });
    expect(trace.merge).toEqual({
      found: 0,
      kept: 0,
      cutoff: 0,
      boosted: [],
      covered: [],
      cut: [],
      cut_total: 0,
    });
  });
});

function raise(error: unknown): never {
  throw error;
}

const errorWithoutMessage = (): Error =>
  Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("not to be read");
    },
  });

const unreadableError = (): Error =>
  Object.defineProperty(errorWithoutMessage(), Symbol.toStringTag, {
    get() {
      throw new Error("not to be read");
    },
  });

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const thenless = (): object =>
  // biome-ignore lint/suspicious/noThenProperty: this test needs an unreadable thenable
  Object.defineProperty({}, "then", {
    get() {
      throw errorWithoutMessage();
    },
  });

const unreadable = (field: string): object =>
  Object.defineProperty({ id: "a", score: 0.9 }, field, {
    enumerable: true,
    get(): string {
      throw new Error("not to be read");
    },
  });

// ---- unusual and invalid input ------------------------------------------------------------------

describe("the orchestrator over probabilities", () => {
  const retrieved = (
    rows: Readonly<Record<string, readonly nous.FoundRow[]>>,
    query: string,
    options: Partial<nous.CreateOrchestratorOptions<nous.FoundRow, object>> = {},
  ) => {
    const asked: string[] = [];
    const search = (text: string) => {
      asked.push(text);
      return rows[text] ?? [];
    };
    const { retrieve } = nous.createOrchestrator({ search, ...options });
    return retrieve(query).then(({ nodes, trace }) => ({
      asked,
      trace,
      found: nodes.map(({ id, score }) => [id, score]),
    }));
  };
  const LESSONS = "what lessons do I have about deploys?";
  const row = (id: string, score: number, subtype = "custom:signal") => ({
    ...{ id, score, subtype },
    content_title: `title of ${id}`,
  });

  test("is the default: boosts no section, replaces nothing, and drops nothing by a share of the best", async () => {
    const rows = {
      [LESSONS]: [row("a", 0.5), row("b", 0.4, "custom:lesson"), row("c", 0.06), row("d", 0.049)],
    };
    const { asked, found, trace } = await retrieved(rows, LESSONS);
    expect(asked).toEqual([LESSONS]);
    expect(found).toEqual([
      ["a", 0.5],
      ["b", 0.4],
      ["c", 0.06],
      ["d", 0.049],
    ]);
    expect(trace).toMatchObject({ replaced: [], dropped: [], titles: [] });
    expect(trace.merge!.boosted).toEqual([]);
    const bySignals = await retrieved(rows, LESSONS, { ranking: "signals" });
    expect(bySignals.found[0]![0]).toBe("b");
  });

  test("keeps the best probability over the parts, and a memory of each part", async () => {
    const query = "What's my billing thesis and how did the search outage end?";
    const parts = nous.understand(query).parts;
    expect(parts).toHaveLength(2);
    const rows = {
      [parts[0]!]: [row("both", 0.3), row("thesis", 0.9)],
      [parts[1]!]: [row("both", 0.7), row("outage", 0.25)],
    };
    const { found } = await retrieved(rows, query);
    expect(found).toEqual([
      ["thesis", 0.9],
      ["both", 0.7],
      ["outage", 0.25],
    ]);
  });

  test("asks no part again, unless the configuration says so: then below ANSWERABLE", async () => {
    const query = "what is the number of the plumber?";
    const rows = { [query]: [row("a", nous.ANSWERABLE - 0.01)] };
    expect((await retrieved(rows, query)).asked).toEqual([query]);
    const again = await retrieved(rows, query, { config: { orchestrator: { maxRetries: 1 } } });
    expect(again.asked.length).toBe(2);
    const config = { orchestrator: { maxRetries: 1, qualityThreshold: 0.1, relevanceRatio: 0.5 } };
    const { asked, trace } = await retrieved(rows, query, { config });
    expect(asked).toEqual([query]);
    expect(trace.merge!.cutoff).toBeCloseTo(0.5 * (nous.ANSWERABLE - 0.01));
    for (const wrong of [{ sections: 7 }, { orchestrator: [] }])
      expect(() =>
        nous.createOrchestrator({ search: () => [], config: wrong as nous.EngineConfig }),
      ).toThrow(expect.objectContaining({ code: "invalid_config" }));
  });
});

describe("the orchestrator's input", () => {
  // biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
  const js = nous as any;

  test.each([
    [undefined, "search"],
    [null, "options"],
    [{}, "search"],
    [{ search: null }, "search"],
    [{ search: "search" }, "search"],
    [{ search: () => [], find: 1 }, "find"],
    [{ search: () => [], ranking: "size" }, "ranking"],
    [{ search: () => [], ranking: null }, "ranking"],
  ])("%j is refused by the constructor", (options, field) => {
    expect(() => js.createOrchestrator(options)).toThrow(
      expect.objectContaining({ code: "invalid_argument", details: { field } }),
    );
  });

  test.each([
    [undefined, undefined, "query"],
    [null, undefined, "query"],
    [7, undefined, "query"],
    [["alpha"], undefined, "query"],
    ["alpha", null, "options"],
    ["alpha", "options", "options"],
    ["alpha", { limit: 3 }, "limit"],
    ["alpha", { filters: "none" }, "filters"],
    ["alpha", { filters: [] }, "filters"],
    ["alpha", { now: "yesterday" }, "now"],
    ["alpha", { now: new Date(Number.NaN) }, "now"],
    ["alpha", { signal: true }, "signal"],
    ["alpha", { signal: new AbortController() }, "signal"],
  ])("%j with %j is refused before any search starts", async (query, options, field) => {
    const search = vi.fn(() => []);
    const { retrieve } = js.createOrchestrator({ search });
    await expect(retrieve(query, options)).rejects.toMatchObject({
      code: "invalid_argument",
      details: { field },
    });
    expect(search).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("missing filters, signal and options may be null or undefined", async () => {
    const { retrieve } = orchestratorOf(() => rowsFor("x", 0.5));
    const plain = timeless(await retrieved(retrieve("alpha")));
    for (const options of [
      undefined,
      {},
      { filters: null, signal: null },
      { filters: undefined, now: undefined },
    ]) {
      expectSame(timeless(await retrieved(retrieve("alpha", options))), plain);
    }
  });

  test("unreadable filters end the retrieval and abort its searches", async () => {
    const filters = {
      get subtype(): string {
        throw new Error("not to be read");
      },
    };
    const { question, script } = scripted(["empty", "never"]);
    const searches = new Searches(script);
    const ended = await ending(orchestratorOf(searches.search).retrieve(question, { filters }), 10);
    expect(ended).toMatchObject({ error: { message: "not to be read" } });
    expect(searches.calls.map(({ signal }) => signal.aborted)).toEqual([false, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("scores are read as in merging, and results without an id are ignored", async () => {
    const rows = [
      ...[
        { id: "nan", score: Number.NaN },
        { id: "infinite", score: Number.POSITIVE_INFINITY },
        { id: "none" },
      ],
      ...[
        { id: "text", score: "0.5" },
        { id: "words", score: "high" },
        { id: "big", score: 1n },
      ],
      ...[{ id: "", score: 9 }, { id: null, score: 9 }, { score: 9 }],
    ];
    const config = { relevanceRatio: 0, maxReplacements: 0 };
    const search = (() => rows) as unknown as Search;
    const { nodes, trace } = await retrieved(orchestratorOf(search, config).retrieve("alpha"));
    expect(nodes.map(({ id, score }) => [id, score])).toEqual([
      ...[
        ["text", 0.5],
        ["nan", 0],
        ["infinite", 0],
        ["none", 0],
        ["words", 0],
        ["big", 0],
      ],
    ]);
    expect(trace.parts).toMatchObject([{ outcome: "ok", results: 6, top_score: 0.5 }]);
    expect(trace.merge).toMatchObject({ found: 6, kept: 6 });
  });

  test("an answer with only id-less results counts as empty", async () => {
    const search = ((query: string) =>
      query === "alpha" ? [{ id: "a", score: 0.5 }] : [{ score: 1 }]) as Search;
    const { nodes, trace } = await retrieved(orchestratorOf(search).retrieve("what is alpha?"));
    expect(nodes.map(({ id }) => id)).toEqual(["a"]);
    expect(trace.parts).toMatchObject([{ outcome: "empty", retry: { stands: true } }]);
  });

  test("the best score is found at any position", async () => {
    const rows = [0.1, 0.9, 0.3].map((score) => ({ id: `n ${score}`, score }));
    const searches = new Searches(() => ({ after: 0, rows }));
    const { trace } = await retrieved(
      orchestratorOf(searches.search, { maxReplacements: 0 }).retrieve("what is x-ray?"),
    );
    expect(trace.parts).toMatchObject([{ top_score: 0.9 }]);
    expect(searches.calls).toHaveLength(1);
  });

  test("scores near the largest number may overflow when boosted", async () => {
    const rows = [1.7e308, -1.7e308].map((score) => ({
      id: `n ${score}`,
      score,
      subtype: "custom:lesson",
    }));
    const { nodes } = await retrieved(orchestratorOf(() => rows).retrieve("lessons"));
    expect(nodes.map(({ id }) => id)).toEqual(["n 1.7e+308"]);
  });

  test("an empty question and a very long one are searched unchanged", async () => {
    for (const question of ["", "what is this? ".repeat(75_000)]) {
      const searches = new Searches(() => found("x"));
      const { trace } = await retrieved(
        orchestratorOf(searches.search, { maxReplacements: 0 }).retrieve(question),
      );
      expect(searches.calls.map(({ query }) => query)).toEqual([question]);
      expect(trace.query).toBe(question);
    }
  });

  test("a search may change its list after it returned it", async () => {
    const rows = rowsFor("x", 0.5).slice();
    const { question } = scripted(["quick", "slow, in time"]);
    const search: Search = (query) => {
      if (query === "what is alpha") return rows;
      return new Promise((resolve) =>
        setTimeout(() => {
          rows.length = 0;
          resolve([]);
        }, 100),
      );
    };
    const { nodes } = await retrieved(orchestratorOf(search).retrieve(question));
    expect(nodes.length).toBeGreaterThan(0);
  });
});

// ---- weak results -------------------------------------------------------------------------------

describe("a second search after a weak answer", () => {
  const first = [
    { id: "A", score: 0.15 },
    { id: "B", score: 0.1 },
  ];
  const second = [
    { id: "B", score: 0.3 },
    { id: "C", score: 0.14 },
  ];
  const answers =
    (later: readonly Row[]): Search =>
    (query) =>
      query === "what is alpha?" ? first : later;
  const find = async (config: nous.OrchestratorConfig, later: readonly Row[] = second) => {
    const rules = { relevanceRatio: 0, maxReplacements: 0, ...config };
    const { nodes, trace } = await retrieved(
      orchestratorOf(answers(later), rules).retrieve("what is alpha?"),
    );
    return {
      nodes: nodes.map(({ id, score }) => `${id} ${score}`),
      stands: trace.parts[0]!.retry!.stands,
    };
  };

  test("is merged with the first one, with each memory's better score", async () => {
    const merged = { nodes: ["B 0.3", "A 0.15", "C 0.14"], stands: true };
    expect(await find({})).toEqual(merged);
    expect(await find({ retry: "merge" })).toEqual(merged);
    // A worse second answer adds the memories that the first one lacks.
    expect(await find({}, [{ id: "C", score: 0.05 }])).toEqual({
      nodes: ["A 0.15", "B 0.1", "C 0.05"],
      stands: true,
    });
    expect(await find({}, [])).toEqual({ nodes: ["A 0.15", "B 0.1"], stands: false });
  });

  test("replaces the first one if the configuration says so and it is better", async () => {
    expect(await find({ retry: "replace" })).toEqual({ nodes: ["B 0.3", "C 0.14"], stands: true });
    const worse = [{ id: "C", score: 0.05 }];
    expect(await find({ retry: "replace" }, worse)).toEqual({
      nodes: ["A 0.15", "B 0.1"],
      stands: false,
    });
  });
});

describe("maxSubQueries", () => {
  const QUESTION = "what is alpha? what is beta? what is charlie?";
  const partsOf = async (config: nous.OrchestratorConfig) =>
    (await retrieved(orchestratorOf((query) => rowsFor(query, 0.5), config).retrieve(QUESTION)))
      .trace.parts.length;

  test("is an alias of maxParts, and both may be given with equal values", async () => {
    expect(await partsOf({})).toBe(3);
    expect(await partsOf({ maxSubQueries: 2 })).toBe(await partsOf({ maxParts: 2 }));
    expect(await partsOf({ maxSubQueries: 2, maxParts: 2 })).toBe(2);
  });

  test("is refused if the two differ or if it is not a number of parts", () => {
    const both = [
      { maxSubQueries: 2, maxParts: 3 },
      { maxParts: 3, maxSubQueries: 2 },
    ];
    for (const config of both) {
      expect(() => orchestratorOf(() => [], config)).toThrow(
        /^orchestrator\.max(Parts|SubQueries) has another number under its other name: .*give one of them/,
      );
    }
    expect(() => orchestratorOf(() => [], { maxSubQueries: 0 })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        details: { field: "orchestrator.maxSubQueries" },
      }),
    );
  });
});

describe("weak results", () => {
  const CONFIG = { relevanceRatio: 0, replacementFloor: 0.5 };
  const selection = [
    ...[
      { id: "good", score: 0.9 },
      { id: "weak 1", score: 0.4, content_title: "one" },
    ],
    ...[
      { id: "weak 2", score: 0.3, title: "two" },
      { id: "weak 3", score: 0.2, title: "three" },
      { id: "weak 4", score: 0.1 },
    ],
  ];
  const settled = async (
    titles: Record<string, Scripted>,
    config: nous.OrchestratorConfig = {},
  ) => {
    const searches = new Searches((query) => titles[query] ?? { after: 0, rows: selection });
    const retrieval = orchestratorOf(searches.search, { ...CONFIG, ...config }).retrieve("alpha");
    const { nodes, trace } = await retrieved(retrieval);
    return { ids: nodes.map(({ id }) => id), nodes, trace, calls: searches.calls };
  };
  const rows = (...list: [string, number][]): Scripted => ({
    after: 10,
    rows: list.map(([id, score]) => ({ id, score })),
  });

  test("are replaced by the results of searches for their titles, in rounds within the limit, and sorted again", async () => {
    const { ids, trace } = await settled({
      one: rows(["good", 0.95], ["new 1", 0.6]),
      two: rows(["worse", 0.2]),
      three: rows(["new 1", 0.99], ["new 3", 0.7]),
    });
    expect(ids).toEqual(["good", "new 3", "new 1"]);
    expect(trace.titles.map(({ id, query, ms }) => [id, query, ms])).toEqual([
      ["weak 1", "one", 10],
      ["weak 2", "two", 10],
      ["weak 3", "three", 10],
    ]);
    expect(trace.replaced).toEqual([
      { id: "weak 1", score: 0.4, by: "new 1", by_score: 0.6 },
      { id: "weak 3", score: 0.2, by: "new 3", by_score: 0.7 },
    ]);
    expect(trace.dropped).toEqual([
      { id: "weak 2", score: 0.3, why: "nothing_better" },
      { id: "weak 4", score: 0.1, why: "no_title" },
    ]);
    // Two at once, then the third, since the second added nothing.
    expect(trace.ms.replace).toBe(20);
  });

  test("are dropped once the limit of replacements is reached", async () => {
    const { ids, trace } = await settled({ one: rows(["new", 0.6]) }, { maxReplacements: 1 });
    expect(ids).toEqual(["good", "new"]);
    expect(trace.titles).toHaveLength(1);
    expect(trace.dropped.map(({ why }) => why)).toEqual(["budget", "budget", "no_title"]);
  });

  test("stay in their order if their search fails or is late", async () => {
    const { ids, trace } = await settled({
      one: failure("one"),
      two: nothing(NEVER),
      three: rows(["new", 0.25]),
    });
    expect(ids).toEqual(["good", "weak 1", "weak 2", "weak 3"]);
    expect(trace.titles.map(({ outcome }) => outcome)).toEqual(["failed", "late", "late"]);
  });

  test("are never all dropped", async () => {
    const { ids, trace } = await settled(
      { one: nothing(), two: nothing(), three: nothing() },
      { replacementFloor: 1 },
    );
    expect(ids).toEqual(["good"]);
    expect(trace.dropped).toHaveLength(4);
  });

  test("are replaced in the part that they came from", async () => {
    const search: Search = (query) => {
      if (query === "their title") return [{ id: "new", score: 0.8, subtype: "custom:signal" }];
      if (query === "what is alpha") return [{ id: "a", score: 0.5 }];
      return [{ id: "b", score: 0.24, title: "their title" }];
    };
    const { nodes, groups } = await retrieved(
      orchestratorOf(search).retrieve("what is alpha? what is bravo?"),
    );
    expect(nodes).toEqual([
      { id: "new", score: 0.8, subtype: "custom:signal", _sub_query_group: 1 },
      { id: "a", score: 0.5, _sub_query_group: 0 },
    ]);
    expect(groups).toEqual([["a"], ["new"]]);
  });

  test("stay unchanged in a plain search", async () => {
    const { ids, calls } = await settled({}, { enabled: false });
    expect(ids).toEqual(selection.map(({ id }) => id));
    expect(calls).toHaveLength(1);
  });
});

// ---- results ------------------------------------------------------------------------------------

test("groups hold each part's results, and pairs the memories recalled together", async () => {
  const { question, script } = scripted(["quick", "slow, in time", "quick"]);
  const { nodes, groups } = await retrieved(
    orchestratorOf(new Searches(script).search).retrieve(question),
  );
  expect(groups.flat().toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
  const pairs = groups.flatMap((ids) =>
    ids.flatMap((a, place) => ids.slice(place + 1).map((b) => [a, b])),
  );
  const sorted = (list: string[][]) => list.map((pair) => pair.toSorted().join(" + ")).toSorted();
  expect(sorted(nous.coRecallPairs(nodes))).toEqual(sorted(pairs));
  expect(sorted(coRecallPairs(nodes))).toEqual(sorted(pairs));
});

test("boosts follow the sections of the configuration, in the selection and in its explanation", async () => {
  const rows = [
    { id: "lesson", score: 0.5, subtype: "custom:lesson" },
    { id: "trade", score: 0.6, subtype: "custom:trade" },
    { id: "other lesson", score: 0.3, subtype: "custom:lesson" },
  ];
  const account = async (sections: nous.EngineConfig["sections"]) => {
    const config: nous.EngineConfig = {
      sections,
      orchestrator: { maxReplacements: 0, maxResults: 1 },
    };
    const retrieval = nous
      .createOrchestrator({ search: () => rows, ranking: "signals", config })
      .retrieve("lessons");
    const { nodes, trace } = await retrieval;
    const { boosted, cutoff, cut } = trace.merge!;
    return { ids: nodes.map(({ id }) => id), boosted, cutoff, cut };
  };
  expect(await account({ intentBoost: 2 })).toEqual({
    ids: ["lesson"],
    boosted: [{ id: "lesson", from: 0.5, to: 1 }],
    cutoff: 0.4,
    cut: [
      { id: "trade", score: 0.6, why: "max_results" },
      { id: "other lesson", score: 0.6, why: "max_results" },
    ],
  });
  expect(await account({ profiles: { KNOWLEDGE: { intentBoost: 4 } } })).toMatchObject({
    boosted: [{ id: "lesson", from: 0.5, to: 2 }],
    cut: [
      { id: "trade", score: 0.6, why: "below_cutoff" },
      { id: "other lesson", score: 1.2, why: "max_results" },
    ],
  });
  expect(await account({ enabled: false })).toMatchObject({
    ids: ["trade"],
    boosted: [],
    cut: [
      { id: "lesson", score: 0.5, why: "max_results" },
      { id: "other lesson", score: 0.3, why: "max_results" },
    ],
  });
});

test("the first of equal instances of a memory counts, in the explanation as in the selection", async () => {
  const search: Search = () => [
    { id: "a", score: 0.5, subtype: "custom:trade" },
    { id: "a", score: 0.5, subtype: "custom:lesson" },
    { id: "b", score: 0.9, subtype: "custom:trade" },
  ];
  const { nodes, trace } = await retrieved(
    orchestratorOf(search, { relevanceRatio: 1 }).retrieve("lessons"),
  );
  expect(nodes.map(({ id }) => id)).toEqual(["b"]);
  expect(trace.merge!.cut).toEqual([{ id: "a", score: 0.5, why: "below_cutoff" }]);
});

test("a memory selected below the cutoff is attributed to no part", async () => {
  const rows = [-1, -2].map((score) => ({ id: `n ${score}`, score }));
  const { nodes, trace } = await retrieved(orchestratorOf(() => rows).retrieve("alpha"));
  expect(nodes.map(({ id }) => id)).toEqual(["n -1"]);
  expect(trace.merge).toMatchObject({
    cutoff: -0.4,
    covered: [],
    cut: [{ id: "n -2", why: "below_cutoff" }],
  });
});

test("an explanation of very many results names the first hundred that were left out", async () => {
  const rows = Array.from({ length: 5000 }, (_, place) => ({
    id: `n ${place}`,
    score: place / 5000,
  }));
  const { trace } = await retrieved(
    orchestratorOf(() => rows, { maxReplacements: 0 }).retrieve("alpha"),
  );
  expect(trace.merge).toMatchObject({ found: 5000, kept: 5000, cut_total: 4980 });
  expect(trace.merge!.cut.map(({ id }) => id)).toEqual(rows.slice(0, 100).map(({ id }) => id));
});

test("confidence comes from the scores before the boost, and from the attribute that was asked for", async () => {
  const rows = [
    { id: "a", score: 0.98, subtype: "custom:lesson" },
    { id: "b", score: 0.6, subtype: "custom:trade" },
  ];
  const confidenceIn = async (question: string) =>
    (await retrieved(orchestratorOf(() => rows).retrieve(question))).trace.confidence;
  expect(await confidenceIn("what is the lesson's date")).toEqual(
    nous.calculateRetrievalConfidence(0.98, 0.6, 2, true),
  );
  expect(await confidenceIn("lessons")).toEqual(
    nous.calculateRetrievalConfidence(0.98, 0.6, 2, false),
  );
});

test("the trace of a question with two parts records every step", async () => {
  const search: Search = (query) => {
    const after = <T>(milliseconds: number, rows: T): Promise<T> =>
      new Promise((resolve) => setTimeout(resolve, milliseconds, rows));
    switch (query) {
      case "What's my BTC thesis":
        return after(40, [
          {
            id: "thesis",
            score: 0.6,
            subtype: "custom:thesis",
            content_title: "BTC breaks out in spring",
          },
          {
            id: "old thesis",
            score: 0.32,
            subtype: "custom:thesis",
            content_title: "BTC stays in its range",
          },
          { id: "trade", score: 0.2, subtype: "custom:trade", content_title: "Long BTC, closed" },
          {
            id: "noise",
            score: 0.1,
            subtype: "custom:signal",
            content_title: "BTC funding is flat",
          },
        ]);
      case "how did my last SOL trade go?":
        return after(25, [{ id: "noise", score: 0.05, subtype: "custom:signal" }]);
      case "my last SOL trade go":
        return after(30, [
          {
            id: "sol",
            score: 0.24,
            subtype: "custom:trade_close",
            content_title: "SOL short, closed",
          },
        ]);
      default:
        return after(10, [{ id: "sol exit", score: 0.3, subtype: "custom:trade_close" }]);
    }
  };
  const question = "What's my BTC thesis and how did my last SOL trade go?";
  const { nodes, groups, trace } = await retrieved(orchestratorOf(search).retrieve(question));
  expect(nodes.map(({ id, _sub_query_group }) => [id, _sub_query_group])).toEqual([
    ["thesis", 0],
    ["old thesis", 0],
    ["sol exit", 1],
  ]);
  expect(groups).toEqual([["thesis", "old thesis"], ["sol exit"]]);
  expect(trace).toMatchInlineSnapshot(`
    {
      "classification": {
        "attribute": "my",
        "confidence": 0.6,
        "disqualifier_category": "D4",
        "entity": "What",
        "intents": [
          "KNOWLEDGE",
        ],
        "query_type": "LOOKUP",
      },
      "confidence": {
        "breakdown": {
          "cm": 1,
          "dt": 0.8666666666666667,
          "mq": 0.6,
        },
        "flags": [],
        "level": "HIGH",
        "score": 0.7753695343297278,
      },
      "dropped": [],
      "merge": {
        "boosted": [
          {
            "from": 0.6,
            "id": "thesis",
            "to": 0.78,
          },
          {
            "from": 0.32,
            "id": "old thesis",
            "to": 0.41600000000000004,
          },
        ],
        "covered": [
          "sol",
        ],
        "cut": [
          {
            "id": "trade",
            "score": 0.2,
            "why": "below_cutoff",
          },
          {
            "id": "noise",
            "score": 0.1,
            "why": "below_cutoff",
          },
        ],
        "cut_total": 2,
        "cutoff": 0.31200000000000006,
        "found": 6,
        "kept": 5,
      },
      "mode": "parts",
      "ms": {
        "merge": 0,
        "replace": 10,
        "search": 55,
        "total": 65,
        "understand": 0,
      },
      "parts": [
        {
          "ms": 40,
          "outcome": "ok",
          "query": "What's my BTC thesis",
          "results": 4,
          "top_score": 0.6,
        },
        {
          "ms": 25,
          "outcome": "ok",
          "query": "how did my last SOL trade go?",
          "results": 1,
          "retry": {
            "filters_dropped": false,
            "ms": 30,
            "outcome": "ok",
            "query": "my last SOL trade go",
            "results": 1,
            "stands": true,
            "top_score": 0.24,
          },
          "top_score": 0.05,
        },
      ],
      "query": "What's my BTC thesis and how did my last SOL trade go?",
      "replaced": [
        {
          "by": "sol exit",
          "by_score": 0.3,
          "id": "sol",
          "score": 0.24,
        },
      ],
      "titles": [
        {
          "id": "sol",
          "ms": 10,
          "outcome": "ok",
          "query": "SOL short, closed",
          "results": 1,
          "top_score": 0.3,
        },
      ],
    }
  `);
});
