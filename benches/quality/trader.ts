// Runs the labelled questions over the sample memory with rankings by signals and the orchestrator,
// with and without embeddings. The same package gives the same numbers in every run.

import type { Sample } from "../../js/sample/trader/index.ts";
import { whole } from "../js/units.ts";
import { CONFIDENCE, RESAMPLES } from "./bootstrap.ts";
import { DIMENSIONS, EmbeddedMemory, semanticsOf } from "./embedded.ts";
import { labelledSet } from "./labelled-set.ts";
import { Library } from "./library.ts";
import { GRADE, type Labelled } from "./questions.ts";
import { type Asked, type Found, report } from "./report.ts";
import {
  type Askable,
  byWords,
  type Embeddings,
  type Retrieve,
  WAYS,
  type Way,
  waysOver,
} from "./systems.ts";
import { reweigh } from "./why.ts";

const howOver = ({
  nodes,
}: Sample) => `Questions with known answers over the sample memory of ${whole(nodes.length)} entries, asked at its end.
The memory is made up, and so are the questions. Those of the test and the development set come from templates over what the
generator of the sample knows; a hash of a question's words says which set it is in. The handwritten ones were written before the
templates, knowing what the memory holds. Answers are predicates over that knowledge: grade ${GRADE.exact} answers, grade ${GRADE.related} bears on the
question. After a first run templates were mended for their wording, and questions about the present were added; no way of
retrieval was changed for any of them.

*Without* embeddings words find some memories, and what is linked to them is ranked too (\`graphReach\`). *With* embeddings words and meaning find them, and what neither finds is not ranked, as \`MemoryIndex\` does by
default. So the two differ in more than embeddings; the tables of weights have both kinds of search both ways. The embeddings are
latent semantics of the memory's own texts (TF-IDF, ${DIMENSIONS} singular vectors): they know which words go together here, and no
language, as a trained model does. Their dimensions, the number of seeds and \`graphReach\` were chosen on the development set, by
what global and section weights make of it, before the other sets were asked with embeddings.

*single* asks one thing, *compound* two, *vague* names hardly more than a subject, *misleading* has a word that points to a section
where the answer is not. hit@1, recall@10 and MRR count grade ${GRADE.exact} alone, MRR among the first ten; recall is of ten where there are more
answers; nDCG@10 has gains 2^grade − 1. The boost takes its words anywhere (\`substring\`) or whole (\`words\`, in the orchestrator
too); *nothing replaced* is \`maxReplacements: 0\`. In brackets are ${100 * CONFIDENCE} % intervals of ${whole(RESAMPLES)} bootstrap resamples over questions.`;

/** Returns the tables of rankings by signals over the sample memory. */
export async function reportOnSignals(sample: Sample): Promise<string> {
  const library = new Library(sample, sample.truth.end);
  const semantics = semanticsOf(library);
  const embedded = new EmbeddedMemory(library, semantics);
  const reaching = new EmbeddedMemory(library, semantics, { graphReach: true });
  const words = byWords(library);
  /** The memories for which section weights are analysed. */
  const takenApart: Readonly<Record<string, Askable["search"]>> = {
    without: words.search,
    "without, no `graphReach`": (question, sections) => embedded.search(question, sections, null),
    with: (question, sections) => embedded.search(question, sections),
    "with, `graphReach`": (question, sections) => reaching.search(question, sections),
  };
  const ways = { without: waysOver(words, library), with: waysOver(embedded, library) };

  /** Returns the results of every system for these questions. */
  const ask = async (questions: readonly Labelled[]): Promise<Asked> => {
    const found = {
      without: await askAll(ways.without, questions),
      with: await askAll(ways.with, questions),
    };
    const reweighed = Object.entries(takenApart).map(([name, search]) => [
      name,
      reweigh(search, library, questions),
    ]);
    return { questions, found, reweighed: Object.fromEntries(reweighed) };
  };

  const { test, handwritten, dev } = labelledSet(sample);
  const tables = report(
    { test: await ask(test), handwritten: await ask(handwritten), dev: await ask(dev) },
    await ask([...test, ...handwritten]),
  );
  for (const memory of [library, embedded, reaching]) memory.free();
  return `${howOver(sample)}\n\n${tables}`;
}

async function askAll(
  ways: Readonly<Record<Way, Retrieve>>,
  questions: readonly Labelled[],
): Promise<Found[Embeddings]> {
  const found: [Way, readonly (readonly string[])[]][] = [];
  for (const way of WAYS) {
    const lists: (readonly string[])[] = [];
    for (const { text } of questions) lists.push(await ways[way](text));
    found.push([way, lists]);
  }
  return Object.fromEntries(found) as Found[Embeddings];
}
