// Errors for what the module refuses of a batch, a ranking or a search.

import { invalidEntry, NousError, problemWith, show } from "../errors.ts";
import { takeRefusal } from "../refusal.ts";
import type { MemoryState } from "./state.ts";
import type { ResidentCandidates } from "./types.ts";

/** The error for an entry of the columns of `applyDecay`. @internal */
export function changeRefused(
  ids: readonly string[],
  index: number,
  field: string,
  problem: string,
  found: unknown,
) {
  const id = ids[index]!;
  const message = `changes[${index}] (id ${JSON.stringify(id)}): ${field} ${problem}, found ${show(found)}`;
  return new NousError("invalid_argument", message, { field, index, id });
}

/** The error for a refused entry of a batch, by index, field and id. @internal */
export function refusedEntry(
  { resident }: MemoryState,
  batch: string,
  entries: readonly object[],
): NousError {
  const { code, field, index, problem, found } = takeRefusal(resident.instance.glue);
  if (code !== "invalid_argument" || index === null) {
    return new NousError(code, `${field} ${problem}${found === null ? "" : `, found ${found}`}`, {
      field,
    });
  }
  const entry = entries[index] as Record<string, unknown> | undefined;
  const value = entry?.[field];
  const shown =
    field === "embedding"
      ? `${problem}${found === null ? "" : `, found ${found}`}`
      : problemWith(problem, value);
  return invalidEntry(batch, index, entry, field, shown);
}

/** The error for a refused candidate of a ranking, by field, index and id. @internal */
export function refusedCandidate(
  { resident, ids }: MemoryState,
  candidates: ResidentCandidates,
): NousError {
  const { code, field, index, problem } = takeRefusal(resident.instance.glue);
  if (code !== "invalid_argument" || index === null)
    return new NousError(code, `${field} ${problem}`, { field });
  const { handles } = candidates;
  const isHandle = field === "ids" && handles !== undefined;
  const name = isHandle ? "handles" : field;
  const value = candidates[name as keyof ResidentCandidates]?.[index];
  const id = handles === undefined ? candidates.ids?.[index] : ids[handles[index]!];
  const whose = id === undefined ? "" : ` (id ${JSON.stringify(id)})`;
  const details = { field: name, index, ...(id === undefined ? {} : { id }) };
  return new NousError(
    "invalid_argument",
    `${name}[${index}]${whose} ${problem}, found ${show(value)}`,
    details,
  );
}

/**
 * The error for a refused search. An index is the row of a found node whose score is not a number.
 * @internal
 */
export function refusedSearch({ resident, ids }: MemoryState): NousError {
  const { code, field, index, problem, found } = takeRefusal(resident.instance.glue);
  const id = index === null ? undefined : ids[index];
  const whose = id === undefined ? "" : ` (id ${JSON.stringify(id)})`;
  const details = { field, ...(id === undefined ? {} : { id }) };
  return new NousError(
    code,
    `${field}${whose} ${problem}${found === null ? "" : `, found ${found}`}`,
    details,
  );
}
