// Rule: which memories make the profile of a prompt. The profile says what the user is like and
// wants, whatever the turn is about. The rule selects rows of the database, so that it is not in
// the crate.

/** The category of the profile for each subtype that belongs to it. */
export const PROFILE_CATEGORIES: Readonly<Record<string, string>> = {
  "custom:preference": "preference",
  "custom:person": "person",
  "custom:rule": "rule",
};
