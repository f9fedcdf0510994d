// Rules: which memories a prompt is made of.

/** The most memories that a prompt by evidence is chosen from. */
export const MAX_CANDIDATES = 100;
/** The most facts about the user that are read. */
export const MAX_PROFILE = 50;
/** The subtypes of memories that tell of a conversation. */
export const CONVERSATIONS: readonly string[] = ["custom:turn_summary", "custom:session_summary"];

/** How long a conversation is recent, in milliseconds. */
export const RECENT_FOR = 172_800_000;
/** The most recent conversations that a prompt shows. */
export const MAX_RECENT = 5;

/** Returns whether a fact about the user is shown: a memory that has faded is not. */
export const isAtHand = (lifecycle: string | null | undefined): boolean =>
  lifecycle === "ACTIVE" || lifecycle === "WEAK";
