// Authentication and authorization: the caller of a request by its key, and the rights of the
// caller.

import { SCOPES, type Scope } from "../api/operation.ts";
import { HOW_WITHOUT, type Rights } from "../keys/keys.ts";
import { type KeyRing, keyAmong } from "../keys/ring.ts";
import { Refusal } from "../refusal.ts";

const BEARER = /^Bearer +(\S+) *$/i;

/** The rights of every caller while the server has no keys. */
const OPEN: Rights = { agents: "all", scopes: SCOPES, creates_agents: true };

/** The sender of a request, with its rights. */
export type Caller = Rights & {
  /** The id of the key; undefined while the server has no keys. */
  id?: string;
};

/** @throws {Refusal} If the server has keys and the request carries no valid one. */
export async function callerOf(ring: KeyRing, authorization: string | undefined): Promise<Caller> {
  const known = await ring.current();
  if (known === undefined) return OPEN;
  const [, key] = BEARER.exec(authorization ?? "") ?? [];
  if (key === undefined)
    throw unknownKey(known.length, "a key is needed: send it as Authorization: Bearer KEY");
  const caller = keyAmong(known, key);
  if (caller !== undefined) return caller;
  const newest = (await ring.newest()) ?? [];
  const created = keyAmong(newest, key);
  if (created === undefined) throw unknownKey(newest.length, "the key is not known");
  return created;
}

/** Returns the refusal of a request; `why` if the server has keys. */
const unknownKey = (count: number, why: string): Refusal =>
  new Refusal(
    401,
    count > 0
      ? why
      : `a key is needed, and the server has no valid one: its operator can create one; ${HOW_WITHOUT}`,
  );

const isFor = ({ agents }: Rights, agent: string): boolean =>
  agents === "all" || agents.includes(agent);

/** @throws {Refusal} If the caller lacks the scope, or its key is not for the agent. */
export function demand(caller: Caller, scope: Scope, agent?: string): void {
  if (!caller.scopes.includes(scope)) throw new Refusal(403, `the key is not for ${scope}`);
  if (agent !== undefined && !isFor(caller, agent))
    throw new Refusal(403, "the key is not for this agent");
}

/** @throws {Refusal} If the caller lacks the scope, or its key is not for all agents. */
export function demandForAll(caller: Caller, scope: Scope): void {
  demand(caller, scope);
  if (caller.agents !== "all") throw new Refusal(403, "the key is not for all agents");
}
