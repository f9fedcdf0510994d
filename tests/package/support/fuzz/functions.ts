// Generated calls of the stateless functions: of the package, and of a created engine.

import { type Anything, falls, isNumber, isText, type Kind, unless, type World } from "./kinds.ts";
import * as make from "./shapes.ts";
import { CallersOwn, NOW, type Values } from "./values.ts";

type Fault = NonNullable<Kind["fault"]>;
type Args = (v: Values, world: World) => Anything[];

/** A function by its name: the engine's if it has one and the call prefers it. */
const callOf =
  (name: string): Kind["call"] =>
  ({ nous, engine, prefersEngine }, args) =>
    (prefersEngine && name in engine ? engine : nous)[name](...args);

const of = (
  name: string,
  weight: number,
  args: Args,
  fault?: Fault,
  more: Partial<Kind> = {},
): Kind => ({
  ...{ name, weight, args, call: callOf(name), fault, isPure: true },
  ...more,
});

/** Some numbers give NaN. */
const isOfNumbers: Fault = (answer) => unless(typeof answer === "number", "is no number");

/** A function of numbers only. */
const numeric = (name: string, arity: number, fault: Fault = isOfNumbers): Kind =>
  of(name, 18, (v) => Array.from({ length: arity }, () => v.scalar()), fault, { isNumeric: true });

const SCALARS: Kind[] = [
  numeric("calculateRetrievability", 2),
  numeric("updateStabilityOnAccess", 2),
  numeric("getDecayLifecycleState", 2, (state, _, { nous }) =>
    unless(nous.LIFECYCLE_STATES.includes(state), "is no state"),
  ),
  numeric("applyCascadeDecay", 2),
  numeric("authorityScore", 2),
  numeric("fsrsStabilityFromExponential", 1),
  numeric("exponentialStabilityFromFsrs", 1),
  of("calculateDifficulty", 3, (v) => [v.name(make.TYPES), v.scalar(), v.scalar()], isOfNumbers, {
    isNumeric: true,
  }),
  of("toMilliseconds", 1, (v) => [v.instant()], isOfNumbers),
  of("millisecondsIn", 2, (v) => ["UTC", v.instant()], isOfNumbers),
  of("lastMillisecondsIn", 2, (v) => ["UTC", v.instant()], isOfNumbers),
  of(
    "isTimeZone",
    1,
    (v) => [v.word()],
    (answer) => unless(typeof answer === "boolean", "is no answer"),
  ),
  of("offsetIn", 2, () => ["Europe/Berlin", 0], isOfNumbers),
  of("inSnakeCase", 1, (v) => [v.object({})]),
  of("recencyScore", 3, (v) => [v.instant(), v.instant()], isOfNumbers),
  of("affinityScore", 3, (v) => [v.scalar(), v.instant(), v.instant(), v.instant()], isOfNumbers, {
    isNumeric: true,
  }),
  of(
    "updateStabilityOnAccessForSection",
    3,
    (v) => [v.scalar(), v.scalar(), make.profile(v)],
    isOfNumbers,
    {
      isNumeric: true,
    },
  ),
  of(
    "getDecayLifecycleStateForSection",
    3,
    (v) => [v.scalar(), v.scalar(), make.profile(v)],
    (state, _, { nous }) => unless(nous.LIFECYCLE_STATES.includes(state), "is no state"),
    { isNumeric: true },
  ),
  of("semanticScore", 2, (v) => [make.candidate(v)]),
  of("graphScore", 2, (v) => [make.candidate(v)]),
  of("keywordScore", 2, (v) => [make.candidate(v), v.scalar(), v.scalar()], isOfNumbers, {
    isNumeric: true,
  }),
  of("getInitialStability", 1, (v) => [v.name(make.TYPES)]),
  of("getInitialDifficulty", 1, (v) => [v.name(make.TYPES)]),
  of("getInitialEdgeStrength", 1, (v) => [v.word()]),
  of(
    "getSectionForSubtype",
    2,
    (v) => [v.subtype()],
    (section) => unless(make.SECTIONS.includes(section), "is no section"),
  ),
  of(
    "getInitialStabilityForSubtype",
    2,
    (v) => [v.subtype()],
    (days) => unless(days > 0, "are no days"),
  ),
  of(
    "memoryTypeOf",
    2,
    (v) => [v.subtype()],
    (type) => unless(make.MEMORY_TYPES.includes(type), "is no type"),
  ),
  of(
    "calculateSalience",
    3,
    (v) => [v.subtype(), make.signals(v)],
    (salience) => unless(salience >= 0 && salience <= 1, "lies outside of [0, 1]"),
  ),
  of(
    "modulateStability",
    3,
    (v) => [v.subtype(), v.share()],
    (days) => unless(days === null || isNumber(days), "are no days"),
  ),
  of("calculateRetrievalConfidence", 2, (v) => [
    v.share(),
    v.dice.oneIn(3) ? null : v.share(),
    v.count(),
    v.flag(),
  ]),
  of(
    "getConfidenceLevel",
    1,
    (v) => [v.share()],
    (level) => unless(["HIGH", "MEDIUM", "LOW"].includes(level), "is no level"),
  ),
  of(
    "applyOutcome",
    2,
    (v) => {
      const record = {
        success_count: v.count(),
        sample_size: v.count(),
        stability: v.amount(),
        difficulty: v.share(),
      };
      return [v.object(record), v.flag(), v.instant()];
    },
    ({ stability, last_applied }) =>
      unless(isNumber(stability) && isText(last_applied), "is no record"),
  ),
];

/** A ranking of the given objects, best first. */
const ranked: Fault = (ranking: Anything[], [candidates]) => {
  const given = new Set(candidates);
  if (!ranking.every(({ node }) => given.has(node))) return "ranks what was not handed in";
  if (!ranking.every(({ breakdown }) => !Object.values(breakdown).some(Number.isNaN)))
    return "has a signal that is none";
  return unless(falls(ranking.map(({ score }) => score)), "is out of order");
};

const topOptions = (v: Values): Anything =>
  v.object({
    limit: make.limit(v),
    now: v.instant(),
    sections: v.flag(),
    weights: make.weights(v),
  });

const RANKINGS: Kind[] = [
  of(
    "rerankWithSectionWeights",
    1.5,
    (v) => [v.list(() => make.candidate(v), 9), make.metrics(v), v.instant()],
    ranked,
  ),
  of(
    "rerankTop",
    3,
    (v) => [v.list(() => make.candidate(v), 12), make.metrics(v), topOptions(v)],
    ranked,
  ),
  of(
    "rerankCandidates",
    2,
    (v) => [v.list(() => make.candidate(v), 9), make.metrics(v), make.weights(v), v.instant()],
    ranked,
  ),
  of(
    "decayColumns",
    1,
    (v) => {
      const count = v.dice.below(40);
      const column = (number: () => number) => v.numbers(count, number);
      return [
        v.object({
          lastAccessed: column(() => NOW - v.dice.below(1000) * 1e6),
          stability: column(() => v.amount()),
          section: column(() => v.count(3)),
        }),
        v.instant(),
      ];
    },
    ({ retrievability, lifecycle }, [{ stability }]) => {
      if (retrievability.length !== stability.length || lifecycle.length !== stability.length)
        return "has another length";
      return unless(
        retrievability.every((r: number) => r >= 0),
        "has what is no chance",
      );
    },
  ),
  of(
    "mergeAndSelect",
    1,
    (v) => [
      v.list(() => [v.text(), v.list(() => make.row(v), 9)], 4),
      v.object({ query: v.text(), relevanceRatio: v.share(), maxResults: v.count() }),
    ],
    (selected: Anything[]) =>
      unless(
        selected.every(({ score }) => isNumber(score)),
        "has a score that is none",
      ),
  ),
  of("coRecallPairs", 2, (v) => [
    v.list(() => v.object({ id: v.id(), _sub_query_group: v.dice.below(3) }), 9),
  ]),
];

const isTextOrNull: Fault = (answer) => unless(answer === null || isText(answer), "is no text");
const areTexts: Fault = (answer) => unless(answer.every(isText), "are no texts");
const contextOptions = (v: Values): Anything =>
  v.dice.oneIn(2) ? {} : v.object({ mode: v.name(make.MODES) });
const partOptions = (v: Values): Anything =>
  v.object({ maxParts: v.count(9), bySubject: v.flag() });

/**
 * Whether pieces of an answer occur in the text of the question: a stale view would give others.
 */
const inText = (pieces: (string | null)[], text: string): boolean =>
  pieces.every((piece) => piece === null || text.includes(piece));

const QUESTIONS: Kind[] = [
  of(
    "classifyIntent",
    3,
    (v) => [
      v.text(),
      v.object({ matcher: v.name(["words", "substring"]), explain: v.dice.oneIn(3) }),
    ],
    (answer) => unless(Array.isArray(answer), "is no list"),
  ),
  of(
    "checkDisqualifiers",
    3,
    (v) => [v.text()],
    (answer) => unless(typeof answer.disqualified === "boolean", "is none"),
    {
      isModelled: true,
    },
  ),
  of(
    "classifyQueryType",
    3,
    (v) => [v.text()],
    ({ entity }, [text]) => unless(inText([entity], text), "is not there"),
    {
      isModelled: true,
    },
  ),
  of(
    "classifyQuery",
    3,
    (v) => [v.text()],
    ({ query }, [text]) => unless(query === text, "is another"),
    {
      isModelled: true,
    },
  ),
  of(
    "extractQueryEntities",
    2,
    (v) => [v.text()],
    (found, [text]) => unless(inText(found, text), "are not there"),
    {
      isModelled: true,
    },
  ),
  of("extractQueryAttribute", 2, (v) => [v.text()], isTextOrNull, { isModelled: true }),
  of("decompose", 2, (v) => [v.text(), make.classified(v), partOptions(v)], areTexts),
  of("reformulate", 2, (v) => [v.text(), make.classified(v)], isTextOrNull),
  of(
    "understand",
    2,
    (v) => [
      v.text(),
      v.object({
        matcher: v.name(["words", "substring"]),
        terms: v.name(["ascii", "unicode"]),
        now: v.instant(),
      }),
    ],
    ({ terms, query, times }) =>
      unless(inText(terms, query.toLowerCase()), "has terms that are not there") ??
      unless(
        times === undefined ||
          times.every(({ start, end }: { start: number; end: number }) => start < end),
        "has empty ranges of time",
      ),
  ),
  of(
    "classifyTurn",
    3,
    (v) => [v.text(), v.name(make.FRAMES), contextOptions(v)],
    ({ topic_keywords }) => areTexts(topic_keywords, [], undefined as never),
  ),
  of(
    "planRetrieval",
    2,
    (v) => [make.turn(v), contextOptions(v)],
    ({ queries }) =>
      unless(
        queries.every(({ limit }: Anything) => limit >= 0),
        "has a limit that is none",
      ),
  ),
  of(
    "planTurn",
    3,
    (v) => [v.text(), v.name(make.FRAMES), contextOptions(v)],
    ({ signals }, [text]) => unless(text.includes(signals.input), "is of another turn"),
  ),
  of(
    "selectFrame",
    2,
    (v) => [v.text()],
    ({ confidence }) => unless(confidence >= 0 && confidence <= 1, "is none"),
  ),
  of("nextTopic", 2, (v) => [v.text()], isTextOrNull, { isModelled: true }),
  of(
    "overlap",
    3,
    (v) => [v.text(), v.text(), contextOptions(v)],
    (share) => unless(share >= 0 && share <= 1, "lies outside of [0, 1]"),
  ),
  of(
    "overlaps",
    2,
    (v) => [v.list(() => v.text(), 4), v.text(), contextOptions(v)],
    (shares, [texts]) =>
      unless(
        shares.length === texts.length && shares.every((share: number) => share >= 0 && share <= 1),
        "has another length, or lies outside of [0, 1]",
      ),
  ),
  of(
    "estimateTokens",
    3,
    (v) => [v.text()],
    (tokens) => unless(Number.isInteger(tokens), "is no count"),
    {
      isModelled: true,
    },
  ),
  of("contextBudget", 1, (v) => [v.name(make.FRAMES), v.object({ total: v.count(900) })]),
  of(
    "contextMemory",
    2,
    (v) => [make.memoryRow(v)],
    ({ score }) => unless(isNumber(score), "has a score that is none"),
  ),
  of(
    "formatContext",
    1.5,
    (v) => [
      v.list(() => make.memoryRow(v), 4),
      v.count(400),
      v.object({ emptyAsMissing: v.flag() }),
    ],
    isTextOrNull,
  ),
  of(
    "memoryGuidance",
    1,
    () => [],
    (text) => unless(isText(text), "is no text"),
  ),
  of("extractSymbol", 2, (v) => [make.memoryRow(v)], isTextOrNull),
  of("extractPlaybookTrigger", 2, (v) => [
    v.dice.oneIn(2) ? `PLAYBOOK_TRIGGER: ${String(v.body(() => make.playbook(v)))}` : v.text(),
  ]),
  of(
    "parsePatternOutput",
    2,
    (v) => [v.text()],
    ({ title }) => isTextOrNull(title, [], undefined as never),
  ),
  of(
    "patternPrompt",
    0.4,
    (v) => [v.object({ symbol: v.word(), episodes: v.list(() => make.episode(v), 5) })],
    ({ system, user }) => unless(isText(system) && isText(user), "is no prompt"),
  ),
  of(
    "groupEpisodes",
    0.4,
    (v) => [v.list(() => make.episode(v), 9), v.object({ now: v.instant() })],
    (groups: Anything[], [episodes]) => {
      const given = new Set(episodes);
      return unless(
        groups.every((group) => group.episodes.every((row: object) => given.has(row))),
        "has a stranger",
      );
    },
  ),
  of(
    "findPatterns",
    0.4,
    (v) => [v.list(() => make.episode(v), 12), v.list(() => make.link(v), 9)],
    ({ patterns, tested }) =>
      unless(
        patterns.every((kept: object) => tested.includes(kept)),
        "tells what was not tested",
      ),
  ),
  of(
    "formatPlaybookMatches",
    0.5,
    (v) => [v.list(() => make.match(v), 4)],
    (text) => unless(isText(text), "is no text"),
  ),
  of(
    "matchPlaybooks",
    0.4,
    (v) => [v.list(() => make.playbook(v), 6), v.list(() => make.event(v), 4)],
    (matches: Anything[]) =>
      unless(
        matches.every(({ relevance }) => isNumber(relevance)),
        "has a relevance that is none",
      ),
  ),
];

// ---- functions that call the caller -------------------------------------------------------------

/** A caller function that answers, at once or later, or fails in one of the possible ways. */
const seam = (
  v: Values,
  world: World,
  answer: () => unknown,
): ((...args: unknown[]) => unknown) => {
  const how = v.isWild ? v.dice.below(9) : v.dice.below(3);
  const seed = v.dice.next();
  const given = answer();
  return () => {
    if (how === 0) return Promise.resolve(given);
    if (how === 4) throw new CallersOwn("a seam");
    if (how === 5) return Promise.reject(new CallersOwn("a seam, later"));
    if (how === 6) return seed;
    if (how === 7) world.callback(seed);
    return given;
  };
};

/** A signal that is sometimes aborted already. */
const signal = (v: Values): AbortSignal | undefined => {
  if (!v.isWild || !v.dice.oneIn(6)) return undefined;
  return AbortSignal.abort(new CallersOwn("aborted"));
};

const embedder = (v: Values): Anything =>
  v.dice.oneIn(3)
    ? (texts: string[]) => texts.map((text) => [text.length + 1, 1, v.isWild ? Number.NaN : 2])
    : null;

const contextRequest = (v: Values, world: World): Anything =>
  v.object({
    input: v.text(),
    identity: v.text(),
    now: v.instant(),
    retrieve: seam(v, world, () => v.list(() => make.memory(v), 9)),
    messages: v.list(
      () => v.object({ role: v.dice.oneIn(2) ? "user" : "assistant", content: v.text() }),
      4,
    ),
    profile: seam(v, world, () =>
      v.list(() => v.object({ id: v.id(), text: v.text(), category: v.word() }), 3),
    ),
    usage: v.dice.oneIn(2) ? world.usage : null,
    embed: embedder(v),
    countTokens: v.dice.oneIn(3)
      ? (text: string) => (v.isWild ? v.dice.share() * 9 - 1 : text.length / 3)
      : null,
    budgets: v.object({ total: v.count(900) }),
    mode: v.name(make.MODES),
    signal: signal(v),
  });

const WAITS = { isPure: false, isWaiting: true } as const;

const WAITING: Kind[] = [
  of(
    "buildContext",
    0.4,
    (v, world) => [contextRequest(v, world)],
    ({ prompt, tokens }) => unless(isText(prompt) && tokens >= 0, "is no prompt"),
    WAITS,
  ),
  of(
    "deduplicate",
    0.4,
    (v) => [
      v.list(() => v.object({ id: v.id(), content: v.text() }), 5),
      v.list(() => v.text(), 4),
      v.object({ embed: embedder(v), mode: v.name(make.MODES), signal: signal(v) }),
    ],
    (results: Anything[]) =>
      unless(
        results.every(({ max_similarity }) => isNumber(max_similarity)),
        "has a similarity that is none",
      ),
    WAITS,
  ),
  of(
    "expandMemory",
    0.4,
    (v, world) => [v.name(make.MEMORY_TYPES), v.id(), seam(v, world, () => make.memoryRow(v))],
    (text) => unless(isText(text) && text !== "", "is no text"),
    WAITS,
  ),
  of(
    "planConsolidation",
    0.4,
    (v, world) => [
      v.list(() => make.episode(v), 9),
      v.list(() => make.memoryRow(v), 3),
      v.object({
        edges: v.list(() => make.link(v), 6),
        now: v.instant(),
        agent: v.word(),
        analyze: v.dice.oneIn(2) ? seam(v, world, () => v.text()) : null,
        findSimilar: v.dice.oneIn(2) ? seam(v, world, () => ({ recommendation: "unique" })) : null,
        signal: signal(v),
      }),
    ],
    ({ groups, report }) =>
      unless(Array.isArray(groups) && isNumber(report.groups_found), "is no plan"),
    WAITS,
  ),
  of("init", 1, (v) => [v.word()], undefined, WAITS),
  of("initSync", 1, (v) => [v.word()], undefined, { isPure: false }),
];

/** The search functions of an orchestrator. */
export const searchSeam = (v: Values, world: World): Anything =>
  seam(v, world, () => v.list(() => make.found(v), 9));
export const abortSignal = signal;

export const FUNCTIONS: readonly Kind[] = [...SCALARS, ...RANKINGS, ...QUESTIONS, ...WAITING];
