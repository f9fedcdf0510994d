// `npm run fit -- questions FILE`: writes the questions on which the adapter for questions is
// trained, with their stores, as JSON: `js/minilm/export/asking.py` reads them.

import { writeFileSync } from "node:fs";
import { type LifeStore, lifeStores } from "../quality/changes/stores.ts";
import { withReplaced } from "../quality/replaces.ts";

/** Kinds of questions whose answers include what an answer replaced. */
const OF_A_FACT: ReadonlySet<string> = new Set(["now", "fact", "paraphrase", "direct"]);

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("npm run fit -- questions FILE: name the file to write");

/** Returns the memories of a store, and its questions with the places of what answers them. */
function trainingOf({ memories, questions, asked, replaced }: LifeStore) {
  const placeOf = new Map(memories.map(({ id }, place) => [id, place]));
  const answersOf = (answers: readonly string[], kind: string) =>
    (OF_A_FACT.has(kind) ? withReplaced(replaced, answers) : answers)
      .map((id) => placeOf.get(id)!)
      .sort((a, b) => a - b);
  return {
    memories: memories.map(({ text }) => text),
    questions: [...questions, ...asked]
      // What held before is found by what holds now.
      .filter(({ answers, kind }) => answers.length > 0 && kind !== "before")
      .map(({ text, answers, kind }) => ({ text, answers: answersOf(answers, kind) })),
  };
}

const stores = lifeStores()
  .filter(({ use }) => use === "training")
  .map(trainingOf)
  .filter(({ questions }) => questions.length > 0);
writeFileSync(file, `${stores.map((store) => JSON.stringify(store)).join("\n")}\n`);
const count = stores.reduce((sum, { questions }) => sum + questions.length, 0);
console.log(`${count} questions to ${stores.length} stores, written to ${file}`);
