// The limits of a key: the settings `max_requests_per_minute`, `max_memories` and `max_bytes`. Each is a
// list of entries, a number for every key or `KEY_ID=NUMBER` for one. 0 is no limit.

import { z } from "zod";
import { KEY_ID } from "../ids.ts";
import { partsOf, valueFor } from "./per-agent.ts";

/** The schema of an entry. */
const limiting = z.string().refine(
  (entry) => {
    const { agent: id, value } = partsOf(entry);
    return /^\d{1,15}$/.test(value) && (id === undefined || KEY_ID.test(id));
  },
  { error: "must be a whole number, or for one key k_…=NUMBER; with commas between" },
);

/** The schema of a limit. A YAML file may have numbers. */
export const limit = z
  .union([z.number(), z.string(), z.array(z.union([z.number(), z.string()]))], {
    error: "must be a whole number, or a list",
  })
  .transform((given) => (Array.isArray(given) ? given : String(given).split(",")))
  .transform((entries) => entries.map((entry) => String(entry).trim()).filter(Boolean))
  .pipe(z.array(limiting));

/** Returns the limit of a key; `id` is undefined while the server has no keys. 0: there is none. */
export const limitFor = (entries: readonly string[], id: string | undefined): number =>
  Number(valueFor(entries, id) ?? 0);
