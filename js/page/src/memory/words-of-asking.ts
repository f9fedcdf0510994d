// Words by which a question asks, and which say nothing of its subject: "What should I cook, please?", "What do
// I know about Bruno?" They are no stop words of full text, and the engine counts them where memories hold them,
// but seldom by much: what the page says of a question leaves them out.

const OF_ASKING = new Set(
  (
    "about could know might must ought please shall should " +
    "sé sobre über weiß " +
    "bitte konnte konnten könnte könnten soll sollen sollst sollte sollten"
  ).split(" "),
);

/** Returns the words of a question that say what it is about; all if none does. */
export function aboutSubject<Word extends { asked: string }>(words: readonly Word[]): Word[] {
  const telling = words.filter(({ asked }) => !OF_ASKING.has(asked.toLowerCase()));
  return telling.length === 0 ? [...words] : telling;
}
