// Attributes that have one value at a time, told with other words once they change: "I live in Graz",
// "I moved to Salzburg". The two sentences share no word but the speaker, so that the features of a
// pair say little. Here both are read by patterns: the older one says the attribute, the newer one
// that it changed, both of one subject and with a name as value.

/** What stands for a subject. */
const SUBJECT = String.raw`(?<subject>\p{Lu}[\p{L}'’-]*|I|we|ich|wir)`;
/** What follows the subject: "have", "'m", "just". */
const BESIDE = String.raw`(?:['’](?:m|ve|re|s)|\s+(?:am|are|is|have|has|just|now|both|currently|bin|ist|sind|habe|hat|haben))*`;
/** A name of one word or more: "New York", "St. Gallen". */
const NAME = String.raw`\p{Lu}[\p{L}'’-]*(?:\.?\s+\p{Lu}[\p{L}'’-]+)*`;
/** What may come before the subject of a change: "Since May", "Last week". */
const LEAD = String.raw`(?:(?:[Ii]n|[Oo]n|[Ss]ince|[Ll]ast|[Tt]his|[Ii]m|[Ss]eit)\s+[\p{L}\p{N}]+,?\s+)?`;

/** What tells an attribute, and what tells that it changed: verbs before a preposition and a name. */
const ATTRIBUTES = [
  {
    tells: String.raw`(?:lives?|living|resides?|wohne|wohnt|wohnen|lebe|lebt|leben)(?:\s+\p{Ll}+)?\s+in\s+`,
    changes: String.raw`(?:moved|relocated)(?:\s+(?:away|back|over|house))?\s+to\s+`,
    changesAtEnd: String.raw`nach\s+NAME(?:\s+\p{Ll}+)?\s+(?:umgezogen|gezogen)`,
  },
  {
    tells: String.raw`(?:works?|working|arbeite|arbeitet|arbeiten)(?:\s+as\s+an?\s+\p{Ll}+)?\s+(?:at|for|with|bei)\s+`,
    changes: String.raw`(?:joined|(?:started|began)(?:\s+(?:working|a\s+(?:new\s+)?job))?\s+(?:at|with|for))\s+`,
    changesAtEnd: String.raw`bei\s+NAME\s+angefangen`,
  },
].map(({ tells, changes, changesAtEnd }) => ({
  tells: new RegExp(`^${SUBJECT}${BESIDE}\\s+${tells}(?<value>${NAME})`, "u"),
  changes: [
    new RegExp(`^${LEAD}${SUBJECT}${BESIDE}\\s+${changes}(?<value>${NAME})`, "u"),
    new RegExp(
      `^${LEAD}${SUBJECT}${BESIDE}(?:\\s+im\\s+\\p{L}+)?\\s+${changesAtEnd.replace("NAME", `(?<value>${NAME})`)}`,
      "u",
    ),
  ],
}));

/** Subjects that are one. */
const SAME: Readonly<Record<string, string>> = { we: "i", wir: "i", ich: "i" };

/**
 * Returns whether the newer statement says that an attribute of the older one has another value now.
 *
 * @example
 * ```ts
 * hasMovedOn("I live in Graz.", "I moved to Salzburg in May."); // true
 * hasMovedOn("I live in Graz.", "My sister moved to Salzburg."); // false
 * ```
 */
export function hasMovedOn(older: string, newer: string): boolean {
  const subjectOf = (found: RegExpExecArray) => {
    const lower = found.groups!.subject!.toLowerCase().replace(/['’].*$/, "");
    return SAME[lower] ?? lower;
  };
  return ATTRIBUTES.some(({ tells, changes }) => {
    const told = tells.exec(older.trim());
    if (told === null) return false;
    return changes.some((change) => {
      const changed = change.exec(newer.trim());
      return (
        changed !== null &&
        subjectOf(changed) === subjectOf(told) &&
        changed.groups!.value !== told.groups!.value
      );
    });
  });
}
