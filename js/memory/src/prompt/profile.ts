// Rule: the memories in the profile of a prompt. The profile describes the user and the user's
// wishes, independent of the turn. The rule selects rows of the database, so that it is not in the
// crate.

/** The category of the profile for each subtype that belongs to it. */
export const PROFILE_CATEGORIES: Readonly<Record<string, string>> = {
  "custom:preference": "preference",
  "custom:person": "person",
  "custom:rule": "rule",
  preference: "preference",
  person: "person",
  rule: "rule",
};
