// The sentence that says why something could not be done; empty if nothing went wrong.

import { signal } from "@preact/signals";

/** Why a memory could not be opened. */
export const problem = signal("");

/** Returns the result of `work`, or the sentence why it failed. */
export async function whyNot(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
