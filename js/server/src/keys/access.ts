// Authentication and authorization: the caller of a request by its key, and the rights of the
// caller.

import { SCOPES, type Scope } from "../api/operation.ts";
import { Refusal } from "../refusal.ts";
import { HOW_WITHOUT, type Rights } from "./keys.ts";
import { type KeyRing, keyAmong } from "./ring.ts";

const BEARER = /^Bearer +(\S+) *$/i;

/** The rights of every caller while the server has no keys. */
const OPEN: Rights = { agents: "all", scopes: SCOPES, creates_agents: true };

/** The sender of a request, with its rights. */
export type Caller = Rights & {
  /** The id of the key, or of the user of a token; undefined while the server has no keys. */
  id?: string;
  /** Of a token: the agent of its requests that name none. */
  ownAgent?: string;
};

/** Returns the key or token that a request carries. */
export const bearerOf = (authorization = ""): string | undefined => BEARER.exec(authorization)?.[1];

/** @throws {Refusal} If the server has keys and the request carries no valid one. */
export async function callerOf(ring: KeyRing, authorization: string | undefined): Promise<Caller> {
  const known = await ring.current();
  if (known === undefined) return OPEN;
  const key = bearerOf(authorization);
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

/** @throws {Refusal} If the caller lacks the scope, or its key or token is not for the agent. */
export function demand(caller: Caller, scope: Scope, agent?: string): void {
  const what = caller.ownAgent === undefined ? "key" : "token";
  if (!caller.scopes.includes(scope)) throw new Refusal(403, `the ${what} is not for ${scope}`);
  if (agent !== undefined && !isFor(caller, agent))
    throw new Refusal(403, `the ${what} is not for this agent`);
}

/** @throws {Refusal} If the caller lacks the scope, or its key is not for all agents. */
export function demandForAll(caller: Caller, scope: Scope): void {
  demand(caller, scope);
  if (caller.agents !== "all") throw new Refusal(403, "the key is not for all agents");
}
