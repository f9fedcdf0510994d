// Rule: which memories describe the user, and which another person.
//
// # Idea
//
// Preferences and persons make up the profile of the user. A support agent also stores what a customer
// prefers: "Nadine Roux prefers to be written to in French". That is a fact, and no line of the profile.
// A text tells of somebody else if it begins with a name and what that person likes, does or is, and
// says nothing of the speaker. The user may have a name, too: an agent writes "Mira eats no dairy". So the
// person whom more than half of these texts name is the user, if no text speaks of one.

import { SPEAKER } from "../speaker.ts";

/** The subtypes of memories that describe the user, and their category. */
export const PROFILE_CATEGORIES: Readonly<Record<string, string>> = {
  "custom:preference": "preference",
  "custom:person": "person",
  "custom:rule": "rule",
  preference: "preference",
  person: "person",
  rule: "rule",
};

/** What may stand before a name. */
const TITLE = String.raw`(?:(?:Dr|Mrs?|Ms|Prof|Herr|Frau|Sra?|Customer|Client|Kund(?:e|in))\.? )*`;
/** A name at the beginning, and what the person likes, does or is, in three languages. */
const OF_PERSON = new RegExp(
  String.raw`^${TITLE}(?<first>\p{Lu}[\p{L}'’-]*)(?: \p{Lu}[\p{L}.'’-]*)*(?: \([^)]*\))?,? (?:${[
    "(?:strongly |really |always |never |usually )?(?:prefers?|likes?|loves?|enjoys?|hates?|dislikes?)",
    "wants?|avoids?|eats?|drinks?|doesn['’]t|can['’]?t|cannot|lives? in|works? (?:at|for|as|in)",
    "is (?:allergic|vegetarian|vegan|intolerant|an?|the|[\\p{L}-]+['’]s)",
    "mag|bevorzugt|liebt|hasst|isst|trinkt|möchte|will|wohnt|arbeitet|heißt",
    "ist (?:allergisch|vegetarisch|vegan|eine?|der|die)",
    "prefiere|odia|come|bebe|vive|trabaja|es (?:alérgic[oa]|vegetarian[oa]|vegan[oa]|el|la|una?)",
  ].join("|")})(?![\p{L}])`,
  "u",
);
const WORD = /[\p{L}'’]+/gu;
const USER = /\b(?:users?|benutzer(?:in)?|nutzer(?:in)?|usuari[oa])\b/i;

/** Whether a text speaks of the user, or of the one who says it. */
const tellsOfUser = (text: string): boolean =>
  USER.test(text) ||
  (text.match(WORD) ?? []).some((word) => SPEAKER.has(word.toLowerCase().replaceAll("’", "'")));

/** Returns the name of the other person that a text tells of. */
const personIn = (text: string): string | undefined =>
  tellsOfUser(text) ? undefined : OF_PERSON.exec(text.trim())?.groups?.first?.toLowerCase();

/** Returns a test whether a text describes somebody else than the user, whom these texts describe. */
export function describesOther(profile: readonly string[]): (text: string) => boolean {
  const counts = new Map<string, number>();
  for (const text of profile) {
    const person = personIn(text);
    if (person !== undefined) counts.set(person, (counts.get(person) ?? 0) + 1);
  }
  const [first, count = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const user = 2 * count > profile.length && !profile.some(tellsOfUser) ? first : undefined;
  return (text) => {
    const person = personIn(text);
    return person !== undefined && person !== user;
  };
}
