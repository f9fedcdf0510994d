// Errors that clients may see, without words of the database.

import { Refusal } from "../refusal.ts";

/** Runs `work`; its failures become errors that clients may see. */
export function outwardly<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw outward(error);
  }
}

/** Returns an error that clients may see. */
export const outward = (error: unknown): Error =>
  error instanceof Refusal
    ? error
    : new Error("the memory could not be searched", { cause: error });
