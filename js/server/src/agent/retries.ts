// Requests that may be sent again: what was made by the first is known to the second.

import { createHash } from "node:crypto";
import type { RetryHeaders } from "../api/headers.ts";
import { atOnce, oneStep, type Steps } from "../steps.ts";
import { toIso } from "../time.ts";
import type { Agent, Unit } from "./agent.ts";
import { Refusal } from "./errors.ts";

/** How long it is known, in milliseconds. */
const KEPT = 86_400_000;

/**
 * Writes as one transaction, unless the same request with the same key did so before: then the
 * answer is what that one made. What is made is kept as JSON, and must not hold any text of a
 * memory: that would outlive the memory.
 *
 * @throws {Refusal} for a key that another request had.
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

/** The same for long work; see `Agent.writeInTurns`. */
export const onceInTurns = <Made>(
  agent: Agent,
  operation: string,
  asked: Asked,
  make: (unit: Unit) => Steps<Made>,
): Promise<Made> => agent.writeInTurns(unlessMade(agent, operation, asked, make));

/** What was asked, and the key that it came with. */
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
    const now = agent.now();
    const since = toIso(now - KEPT);
    const known = retries.find(key, since);
    if (known !== undefined) {
      if (known.request !== request)
        throw new Refusal(422, "the Idempotency-Key was used for another request");
      return madeOf<Made>(known.made);
    }
    const made = yield* make(unit);
    retries.put({ key, request, made: JSON.stringify(made), created_at: toIso(now) }, since);
    return made;
  };
}

/** @throws {Refusal} where another program, or damage, has left no JSON of it. */
function madeOf<Made>(json: string): Made {
  try {
    return JSON.parse(json) as Made;
  } catch {
    throw new Refusal(
      409,
      "what was made with this Idempotency-Key cannot be read: look whether it is there",
    );
  }
}

/** @throws {Refusal} where what a request made has been deleted before it was sent again. */
export function stillThere<Row>(row: Row | undefined): Row {
  if (row === undefined)
    throw new Refusal(409, "what was made with this Idempotency-Key is deleted");
  return row;
}
