// Rule: correction markers, the words by which a text corrects an earlier memory. The confidence is
// a sum of fixed weights.

/** Words and phrases that mark a correction, spelled as in answers. */
const MARKERS = [
  "actually",
  "I was wrong",
  "correction:",
  "update:",
  "no longer",
  "changed to",
  "now it's",
  "turns out",
  "not anymore",
  "used to be",
];
/** Phrases that contain a marker without marking a correction. */
const DISQUALIFIERS = [
  "wasn't actually",
  "not really",
  "wrong to doubt",
  "wrong of me",
  "was I wrong?",
  "is it actually?",
  "good point",
  "actually, yes",
  "actually enjoyed",
  "actually quite",
  "actually like",
  "actually think",
];
/** Words that contrast the present with the past. */
const TEMPORAL = ["now", "used to"];

/**
 * The confidence at the start and the weight of each finding, in hundredths, so that sums are
 * exact.
 */
const BASE = 50;
const FOR_MARKER = 10;
const FOR_TIME = 10;
const FOR_DISQUALIFIER = -30;
/** Above this confidence a correction is detected. */
const ENOUGH = 30;

/** How far a text reads like a correction. */
export interface Correction {
  detected: boolean;
  /** In [0, 1]. */
  confidence: number;
  /** The markers in the text. */
  triggers: string[];
  disqualifiers: string[];
  /** Whether the text contrasts the present with the past. */
  hasTime: boolean;
}

const [markers, disqualifying, temporal] = [MARKERS, DISQUALIFIERS, TEMPORAL].map(phrasesOf);

/**
 * Finds correction markers as Hynous does: in any case, and within words, too. The confidence is a
 * sum of fractions, equal to that of Hynous to the last bit.
 */
export function looseCorrectionIn(text: string): Correction {
  const low = text.toLowerCase();
  const within = (phrases: readonly string[]) =>
    phrases.filter((phrase) => low.includes(phrase.toLowerCase()));
  const [triggers, disqualifiers] = [within(MARKERS), within(DISQUALIFIERS)];
  const hasTime = within(TEMPORAL).length > 0;
  let confidence = BASE / 100;
  if (triggers.length > 0) confidence += FOR_MARKER / 100;
  if (hasTime) confidence += FOR_TIME / 100;
  if (disqualifiers.length > 0) confidence += FOR_DISQUALIFIER / 100;
  return {
    detected: triggers.length > 0 && confidence > ENOUGH / 100,
    confidence,
    triggers,
    disqualifiers,
    hasTime,
  };
}

/** Finds correction markers as whole words, in any case. */
export function correctionIn(text: string): Correction {
  const plain = text.replaceAll("’", "'");
  const [triggers, disqualifiers] = [markers!(plain), disqualifying!(plain)];
  const hasTime = temporal!(plain).length > 0;
  const hundredths =
    BASE +
    (triggers.length > 0 ? FOR_MARKER : 0) +
    (hasTime ? FOR_TIME : 0) +
    (disqualifiers.length > 0 ? FOR_DISQUALIFIER : 0);
  return {
    detected: triggers.length > 0 && hundredths > ENOUGH,
    confidence: hundredths / 100,
    triggers,
    disqualifiers,
    hasTime,
  };
}

/** Returns a function that finds which of some phrases a text contains. */
function phrasesOf(phrases: readonly string[]): (text: string) => string[] {
  const matchers = phrases.map((phrase) => {
    const words = phrase.replace(/[?.]/g, "\\$&").replaceAll(" ", "\\s+");
    const end = /\w$/.test(phrase) ? "(?![\\p{L}\\p{N}_])" : "";
    return [phrase, new RegExp(`(?<![\\p{L}\\p{N}_])${words}${end}`, "iu")] as const;
  });
  return (text) => matchers.filter(([, matcher]) => matcher.test(text)).map(([phrase]) => phrase);
}
