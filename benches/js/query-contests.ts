// Contests of questions: classification against V8's regular expressions, and the orchestrator's
// own cost without the searches.

import * as reference from "../../js/reference/index.ts";
import { makeQuestions, makeSubResults } from "../../js/reference/inputs.ts";
import { extractTerms } from "../../js/reference/search.ts";
import type { Contest } from "./compare.ts";
import { type Engine, inTurn } from "./contests.ts";
import * as regexes from "./rivals/regexes.ts";

const LENGTHS = [60, 300, 2_000];
/** The parts of a question, and the results of each search. */
const PARTS = 4;
const EACH = 25;
const COMPOUND =
  "What's my BTC thesis and how did my last SOL trade go and why did funding flip and when is the next unlock?";

function questions(
  length: number,
  contestants: Record<string, (query: string) => unknown>,
): Contest["contestants"] {
  const queries = makeQuestions(length, 16, 1);
  const calls = Object.entries(contestants).map(([label, ask]) => {
    const query = inTurn(queries);
    return [label, () => ask(query())];
  });
  return Object.fromEntries(calls);
}

function classification(length: number, engine: Engine): Contest {
  return {
    name: `classify a question of ${length.toLocaleString("en")} characters`,
    contestants: questions(length, {
      regexes: regexes.patterns,
      tuned: regexes.tuned,
      engine: engine.classifyQuery,
    }),
  };
}

function understanding(length: number, engine: Engine): Contest {
  return {
    name: `understand a question of ${length.toLocaleString("en")} characters`,
    contestants: questions(length, {
      tuned: (query) => {
        const classified = regexes.tuned(query);
        return {
          ...classified,
          intents: reference.classifyIntent(query),
          parts: reference.decompose(query, classified),
          terms: extractTerms(query),
        };
      },
      engine: engine.understand,
    }),
  };
}

function decomposition(engine: Engine): Contest {
  const classified = { disqualifier_category: "D4" };
  return {
    name: `take a question apart into ${PARTS}`,
    contestants: {
      reference: () => reference.decompose(COMPOUND, classified),
      engine: () => engine.decompose(COMPOUND, classified),
    },
  };
}

/**
 * Searches that answer at once. The rival only calls them and merges, without a deadline or a
 * trace.
 */
function orchestration(parts: number, engine: Engine): Contest {
  const results = [...makeSubResults(parts, EACH, 1).values()];
  const question = parts === 1 ? "Which signals are firing on SOL right now?" : COMPOUND;
  const answers = new Map(
    reference.understand(question).parts.map((part, place) => [part, results[place]!]),
  );
  const search = (query: string) => answers.get(query) ?? [];
  const orchestrator = engine.createOrchestrator({ search });
  return {
    name: `orchestrate ${parts} × ${EACH} results, found at once`,
    contestants: {
      "ask and merge": async () => {
        const asked = reference.understand(question).parts;
        const found = await Promise.all(
          asked.map(async (part) => [part, await search(part)] as const),
        );
        return reference.mergeAndSelect(found, { query: question });
      },
      engine: async () => orchestrator.retrieve(question),
    },
  };
}

export function queryContests(engine: Engine): Contest[] {
  return [
    ...LENGTHS.map((length) => classification(length, engine)),
    ...LENGTHS.map((length) => understanding(length, engine)),
    decomposition(engine),
    ...[1, PARTS].map((parts) => orchestration(parts, engine)),
  ];
}
