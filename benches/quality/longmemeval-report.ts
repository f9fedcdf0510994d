// Measures retrieval on LongMemEval as its authors do: by session and by turn, without abstention.

import { basename } from "node:path";
import { whole } from "../js/units.ts";
import { table } from "../results.ts";
import { draws, estimate } from "./bootstrap.ts";
import type { System } from "./contestants.ts";
import { shown } from "./evidence-report.ts";
import { type Instance, readLongMemEval } from "./longmemeval.ts";
import { DEPTH } from "./metrics.ts";
import { mean } from "./summary.ts";

/** The turns that a system finds. The sessions of these are ranked by the first of their turns. */
const TURNS = 200;
const FIRST = 5;

/** What a ranking is judged by. All lie in [0, 1]. */
export interface Retrieved {
  /** 1 if one of the answers is among the first five, else 0. */
  readonly any5: number;
  /** 1 if all answers are among the first five, else 0. */
  readonly all5: number;
  /** 1 if one of the answers is among the first ten, else 0. */
  readonly any10: number;
  /** nDCG@10 with the discount of the authors. */
  readonly ndcg10: number;
}

/**
 * Judges a ranking.
 *
 * @param ranked - What was found, best first, without repetition.
 * @param answers - What answers; not empty.
 */
export function judgedRanking(ranked: readonly string[], answers: ReadonlySet<string>): Retrieved {
  const found = (depth: number) => ranked.slice(0, depth).filter((one) => answers.has(one)).length;
  return {
    any5: found(FIRST) > 0 ? 1 : 0,
    all5: found(FIRST) === answers.size ? 1 : 0,
    any10: found(DEPTH) > 0 ? 1 : 0,
    ndcg10: gain(ranked.map((one) => answers.has(one))) / gain(Array(answers.size).fill(true)),
  };
}

/** The first two places gain 1, the place r gains 1 / log2(r): the formula of the authors. */
function gain(isAnswer: readonly boolean[]): number {
  return isAnswer
    .slice(0, DEPTH)
    .reduce((sum, own, i) => sum + (own ? 1 / Math.max(1, Math.log2(i + 1)) : 0), 0);
}

/** What one system found for one question. */
interface Asked {
  readonly kind: string;
  readonly bySession: Retrieved;
  /** Absent if no turn is marked. */
  readonly byTurn?: Retrieved;
  /** What turns of the user answer, by session and by turn; absent if none does. */
  readonly ofUser?: { readonly bySession: Retrieved; readonly byTurn: Retrieved };
}

/**
 * Returns what a system finds for a question.
 *
 * @param ids - The turns that it found, best first.
 */
export function judgedInstance(instance: Instance, ids: readonly string[]): Asked {
  const { asking, sessionOf, sessions, ofUser } = instance;
  const { kind, grades } = asking.cases[0]!;
  const ranked = [...new Set(ids.map((id) => sessionOf.get(id)!))];
  return {
    kind,
    bySession: judgedRanking(ranked, sessions),
    ...(grades.size === 0 ? {} : { byTurn: judgedRanking(ids, new Set(grades.keys())) }),
    ...(ofUser.size === 0
      ? {}
      : {
          ofUser: {
            bySession: judgedRanking(ranked, new Set([...ofUser].map((id) => sessionOf.get(id)!))),
            byTurn: judgedRanking(ids, ofUser),
          },
        }),
  };
}

/**
 * Asks systems the questions of a file, one after the other, and returns tables. Holds the history
 * of one question at a time.
 *
 * @param say - Gets a line after every ten questions. Default: standard error.
 * @throws {Error} If the file is not as {@link readLongMemEval} takes it, or holds no question with
 * an answer.
 */
export async function reportOnLongMemEval(
  path: string,
  systems: readonly System[],
  say: (line: string) => void = console.error,
): Promise<string> {
  const asked = systems.map((): Asked[] => []);
  let [abstained, turns, count] = [0, 0, 0];
  for await (const instance of readLongMemEval(path)) {
    if (instance.isAbstention) {
      abstained++;
      continue;
    }
    const { store, cases } = instance.asking;
    turns += store.memories.length;
    for (const [place, system] of systems.entries()) {
      const opened = system.open(store, TURNS);
      const ids = opened.ask(cases[0]!.text, cases[0]!.now).map(({ id }) => id);
      opened.free?.();
      asked[place]!.push(judgedInstance(instance, ids));
    }
    if (++count % 10 === 0) say(`${count} questions`);
  }
  if (count === 0) throw new Error(`${path}: no question has an answer`);
  const names = systems.map(({ name }) => name);
  const rows = (of: (one: Asked) => Retrieved | undefined) => rowsOf(names, asked, of);
  const ofUser = asked[0]!.filter((one) => one.ofUser !== undefined).length;
  const marked = asked[0]!.filter((one) => one.byTurn !== undefined).length;
  return [
    `## ${basename(path)}: ${whole(count)} questions, ${whole(Math.round(turns / count))} turns each; ${abstained} of abstention left out`,
    "By session:",
    table(
      HEAD,
      rows((one) => one.bySession),
    ),
    `By turn, ${whole(marked)} questions with a marked turn:`,
    table(
      HEAD,
      rows((one) => one.byTurn),
    ),
    "By session and type of question, recall@5 (any) · nDCG@10:",
    kindTable(names, asked),
    `As the authors count, ${whole(ofUser)} questions that a turn of the user answers. By session:`,
    table(
      HEAD,
      rows((one) => one.ofUser?.bySession),
    ),
    "By turn:",
    table(
      HEAD,
      rows((one) => one.ofUser?.byTurn),
    ),
  ].join("\n\n");
}

const MEASURES = {
  "recall@5 (any)": "any5",
  "recall@5 (all)": "all5",
  "recall@10 (any)": "any10",
  "nDCG@10": "ndcg10",
} as const;
const HEAD = ["system", ...Object.keys(MEASURES)];

function rowsOf(
  names: readonly string[],
  asked: readonly (readonly Asked[])[],
  of: (one: Asked) => Retrieved | undefined,
): string[][] {
  return asked.map((own, place) => {
    const values = own.flatMap((one) => of(one) ?? []);
    const drawn = draws(values.length);
    return [
      names[place]!,
      ...Object.values(MEASURES).map((measure) =>
        values.length === 0
          ? ""
          : shown(
              estimate(
                values.map((one) => one[measure]),
                drawn,
              ),
            ),
      ),
    ];
  });
}

function kindTable(names: readonly string[], asked: readonly (readonly Asked[])[]): string {
  const kinds = [...new Set(asked[0]!.map(({ kind }) => kind))];
  const ofKind = (own: readonly Asked[], wanted: string) =>
    own.flatMap(({ kind, bySession }) => (kind === wanted ? bySession : []));
  return table(
    ["system", ...kinds.map((kind) => `${kind} (${ofKind(asked[0]!, kind).length})`)],
    asked.map((own, place) => [
      names[place]!,
      ...kinds.map((kind) => {
        const values = ofKind(own, kind);
        const of = (measure: keyof Retrieved) => mean(values.map((one) => one[measure])).toFixed(3);
        return `${of("any5")} · ${of("ndcg10")}`;
      }),
    ]),
  );
}
