// Idempotency keys: a request that is sent again returns what the first one made.

import { createHash } from "node:crypto";
import { atOnce, oneStep, type Steps, toIso } from "nous-memory";
import type { RetryHeaders } from "../api/headers.ts";
import { Refusal } from "../refusal.ts";
import type { Agent, Unit } from "./agent.ts";

/** How long a key is kept, in milliseconds. */
const KEPT = 86_400_000;

/**
 * Runs `make` as one transaction and returns its result. If the same request was sent with the same
 * key before, returns the result of that one. The result is kept as JSON. It must not hold text of
 * a memory: the text would outlive the memory.
 *
 * @throws {Refusal} If the key was used for another request.
 */
export function once<Made>(
  agent: Agent,
  operation: string,
  asked: Asked,
  make: (unit: Unit) => Made,
): Made {
  const making = unlessMade(agent, operation, asked, (unit) => oneStep(() => make(unit)));
  return agent.write((unit) => atOnce(making(unit)));
}

/** Does the same for long work; see `Agent.writeInTurns`. */
export const onceInTurns = <Made>(
  agent: Agent,
  operation: string,
  asked: Asked,
  make: (unit: Unit) => Steps<Made>,
): Promise<Made> => agent.writeInTurns(unlessMade(agent, operation, asked, make));

/** Returns whether a request with this key was made already. */
export function isKnown(agent: Agent, headers: RetryHeaders): boolean {
  const key = headers["Idempotency-Key"];
  if (key === undefined) return false;
  return agent.storage.retries.find(key, toIso(agent.heldNow() - KEPT)) !== undefined;
}

/** The request, with its idempotency key. */
interface Asked {
  headers: RetryHeaders;
  body: unknown;
}

function unlessMade<Made>(
  agent: Agent,
  operation: string,
  { headers, body }: Asked,
  make: (unit: Unit) => Steps<Made>,
): (unit: Unit) => Steps<Made> {
  const key = headers["Idempotency-Key"];
  if (key === undefined) return make;
  const request = createHash("sha256")
    .update(JSON.stringify([operation, body]))
    .digest("base64");
  return function* (unit) {
    const { retries } = agent.storage;
    const since = toIso(agent.heldNow() - KEPT);
    const known = retries.find(key, since);
    if (known !== undefined) {
      if (known.request !== request)
        throw new Refusal(422, "the Idempotency-Key was used for another request");
      return madeOf<Made>(known.made);
    }
    const made = yield* make(unit);
    const created_at = toIso(agent.now());
    retries.put({ key, request, made: JSON.stringify(made), created_at }, since);
    return made;
  };
}

/** @throws {Refusal} If the stored result is not JSON, through damage or another program. */
function madeOf<Made>(json: string): Made {
  try {
    return JSON.parse(json) as Made;
  } catch {
    throw new Refusal(
      409,
      "the result of this Idempotency-Key cannot be read: check whether the rows exist",
    );
  }
}

/** @throws {Refusal} If the row that the request made has been deleted since. */
export function stillThere<Row>(row: Row | undefined): Row {
  if (row === undefined)
    throw new Refusal(409, "the row that this Idempotency-Key created was deleted");
  return row;
}
