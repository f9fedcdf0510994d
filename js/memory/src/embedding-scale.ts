// The scale of a model: where its cosines lie for a question and memories that have nothing to do with
// it, and for a memory that answers it. Evidence needs it, because its weights are fitted with the
// cosines of one model.
//
// Idea: the model embeds fixed questions and fixed memories. Question i is answered by memory i, in other
// words, and has nothing to do with the others. The memories of an agent would not do: those of a trader
// are all about trades, so that no pair of them is unrelated, and few of them are no sample.

import type { EmbeddingScale } from "nous-wasm";

/** Questions and memories. The memory at the place of a question answers it in other words. */
const QUESTIONS = [
  "What does the dog do when someone is at the door?",
  "Which beverage should I order for Aunt Ines?",
  "How often must the ferns be watered?",
  "Why was the release postponed?",
  "Who repairs the boiler?",
  "What is the password policy at work?",
  "Where is the spare key?",
  "How did the interview go?",
  "What is she allergic to?",
  "Which database does the new service use?",
  "When is the train to the coast?",
  "What did the doctor say about my knee?",
  "How should invoices be named?",
  "What music calms the baby down?",
  "Is the hiking path open in winter?",
  "How much was the sofa?",
  "What is the capital reserve of the club?",
  "Which language is he learning?",
  "What went wrong with the bread?",
  "Who won the chess match?",
  "Which paint do we need for the fence?",
  "What should I pack for the flight?",
  "How does the teacher want the essay?",
  "Why did the stock lose so much?",
] as const;
const MEMORIES = [
  "Bruno barks twice and hides behind the sofa as soon as the bell rings.",
  "Ines only has peppermint tea; coffee keeps her awake.",
  "The plants in the hall get half a litre every Tuesday and Friday.",
  "We moved the launch to March because the payment tests kept failing.",
  "Mr. Haddad from the heating company services the furnace each autumn.",
  "Credentials have at least fourteen characters and change once a year.",
  "A second one hangs on the nail inside the garden shed.",
  "They liked my portfolio and invited me to a second conversation.",
  "Nora gets a rash from strawberries and from penicillin.",
  "Orders are kept in PostgreSQL, and sessions in Redis.",
  "Line 7 leaves for the seaside at 8:40 from platform three.",
  "The cartilage is worn; swim instead of running until June.",
  "Bills are saved as year, client and number, separated by hyphens.",
  "Slow cello pieces make Leo fall asleep within minutes.",
  "The trail over the pass is closed from November because of snow.",
  "We paid 940 euros for the couch, delivery included.",
  "The association keeps 12,000 in a savings account for emergencies.",
  "Since January Tom has taken evening classes in Portuguese.",
  "The dough did not rise since the yeast was out of date.",
  "Amira beat her brother in 41 moves with the black pieces.",
  "Take the dark green wood varnish that withstands rain.",
  "Bring headphones, a scarf and an empty bottle in the hand luggage.",
  "Miss Okafor asks for two pages, double-spaced, with sources at the end.",
  "The shares fell nine percent after the quarterly earnings disappointed.",
] as const;

/** The texts by which a model is measured. */
export const SCALE_TEXTS: readonly string[] = [...QUESTIONS, ...MEMORIES];

/**
 * How many standard deviations of unrelated texts answers must lie above them. Models of sentences have
 * three to five.
 */
const LEAST_APART = 1;

/**
 * Returns the scale of the model that made the vectors of `SCALE_TEXTS`; undefined if it hardly tells
 * answers from other texts, so that its cosines are no evidence.
 */
export function scaleOf(
  vectors: readonly (Float32Array | undefined)[],
): EmbeddingScale | undefined {
  const memories = vectors.slice(QUESTIONS.length);
  const cosines = vectors
    .slice(0, QUESTIONS.length)
    .map((question) => memories.map((memory) => cosineOf(question, memory)));
  const related = cosines.map((ofQuestion, at) => ofQuestion[at]!);
  const unrelated = cosines.flatMap((ofQuestion, at) => ofQuestion.toSpliced(at, 1));
  const [of_related, of_unrelated] = [meanOf(related), meanOf(unrelated)];
  const variance = meanOf(unrelated.map((cosine) => (cosine - of_unrelated) ** 2));
  const isTold = of_related - of_unrelated > LEAST_APART * Math.sqrt(variance);
  // Rounding may lead beyond 1.
  return isTold ? { of_unrelated, of_related: Math.min(of_related, 1) } : undefined;
}

const meanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** Returns the cosine of two vectors; 0 if one is missing. */
function cosineOf(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (one === undefined || other === undefined) return 0;
  let [product, ofOne, ofOther] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at]!, other[at]!];
    product += a * b;
    ofOne += a * a;
    ofOther += b * b;
  }
  return product / Math.sqrt(ofOne * ofOther);
}
