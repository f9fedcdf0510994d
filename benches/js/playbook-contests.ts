// Contests of salience and of playbook matching.

import * as reference from "../../js/reference/index.ts";
import { makeEvents, makePlaybooks, makeStakes } from "../../js/reference/inputs.ts";
import { type Contest, type Deferred, deferred } from "./compare.ts";
import { type Engine, inTurn } from "./contests.ts";
import { IndexedBook } from "./rivals/playbooks.ts";

const MEMORIES = 1_000;
const EVENTS = 100;
const BOOKS = [1_000, 10_000, 100_000];

function stakes(engine: Engine): Contest {
  const memories = makeStakes(MEMORIES, 1);
  const contestant = ({ calculateSalience, modulateStability }: typeof reference | Engine) => {
    return () => {
      let days = 0;
      for (const { subtype, signals } of memories) {
        days += modulateStability(subtype, calculateSalience(subtype, signals)) ?? 0;
      }
      return days;
    };
  };
  return {
    name: `salience and stability of ${MEMORIES.toLocaleString("en")} memories`,
    contestants: { reference: contestant(reference), engine: contestant(engine) },
  };
}

function matching(playbooks: number, engine: Engine): Deferred {
  return deferred(`${EVENTS} events, ${playbooks.toLocaleString("en")} playbooks`, () => {
    const made = makePlaybooks(playbooks, 1);
    const rounds = Array.from({ length: 3 }, (_, seed) => makeEvents(EVENTS, seed + 1));
    const [plain, indexed, book] = [
      new reference.PlaybookBook(),
      new IndexedBook(made),
      new engine.PlaybookBook(),
    ];
    plain.add(made);
    book.add(made);
    const contestant = (match: (events: (typeof rounds)[number]) => unknown) => {
      const events = inTurn(rounds);
      return () => match(events());
    };
    return {
      contestants: {
        reference: contestant((events) => plain.match(events)),
        tuned: contestant((events) => indexed.match(events)),
        engine: contestant((events) => book.match(events)),
      },
      ...(playbooks > 10_000 ? { rounds: 7 } : {}),
      remarks: () => ({
        matches: rounds.map((events) => book.match(events).matches.length).join(", "),
      }),
    };
  });
}

export function playbookContests(engine: Engine): Deferred[] {
  return [
    { name: stakes(engine).name, make: () => stakes(engine) },
    ...BOOKS.map((playbooks) => matching(playbooks, engine)),
  ];
}
