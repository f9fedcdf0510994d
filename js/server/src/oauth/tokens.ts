// Access tokens: JWTs that an issuer signs for this server.

import { createHash } from "node:crypto";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { SCOPES, type Scope } from "../api/operation.ts";
import { isAgentName } from "../settings/agent-names.ts";
import type { IssuerKeys } from "./issuer.ts";

/** Algorithms with a public key. One with a shared secret would let whoever checks tokens make some. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
/** How much the clocks of issuer and server may differ, in seconds. */
const SKEW = 30;
/** The types of access tokens: that of RFC 9068, and that of issuers which do not follow it. */
const TYPES = ["jwt", "at+jwt", "application/at+jwt"];

/** What a token says of its bearer. */
export interface Claimed {
  /** Names the user in logs and limits. */
  id: string;
  scopes: readonly Scope[];
  /** The agents that its claim names, none if it names something else. */
  agents: readonly string[];
}

/** Thrown for a token that does not count. The message is a clause. */
export class InvalidToken extends Error {}

/**
 * Checks a token.
 *
 * @throws {InvalidToken}
 * @throws {Refusal} If the keys of the issuer are not known.
 */
export async function claimedBy(
  token: string,
  keys: IssuerKeys,
  { audience, agentsClaim }: { audience: string; agentsClaim: string },
): Promise<Claimed> {
  const { payload, protectedHeader } = await jwtVerify(token, keys.keyFor, {
    ...{ issuer: keys.issuer, audience, algorithms: ALGORITHMS, clockTolerance: SKEW },
    requiredClaims: ["exp", "sub"],
  }).catch((error: unknown) => {
    // A key that is too short is a TypeError.
    const isWrong = error instanceof errors.JOSEError || error instanceof TypeError;
    throw isWrong ? new InvalidToken(error.message) : error;
  });
  // The library checks neither of the two.
  const { typ = "jwt" }: { typ?: unknown } = protectedHeader;
  if (typeof typ !== "string" || !TYPES.includes(typ.toLowerCase()))
    throw new InvalidToken("its typ is not that of an access token");
  const { sub }: { sub?: unknown } = payload;
  if (typeof sub !== "string") throw new InvalidToken("its sub is no text");
  if (payload.cnf !== undefined)
    throw new InvalidToken("it is bound to a key of its client, which this server does not check");
  return {
    id: idOf(sub),
    scopes: scopesOf(payload),
    agents: agentsIn(payload[agentsClaim]),
  };
}

/** Returns an id for a user. It does not tell the name, which may be an address. */
const idOf = (sub: string): string =>
  `u_${createHash("sha256").update(sub).digest("hex").slice(0, 12)}`;

/** Returns the scopes of a token: words of `scope`, or of `scp`, as some issuers call it. */
function scopesOf({ scope, scp }: JWTPayload): Scope[] {
  const given = [scope ?? scp]
    .flat()
    .flatMap((text: unknown) => (typeof text === "string" ? text.split(" ") : []));
  return SCOPES.filter((name) => given.includes(name));
}

function agentsIn(claim: unknown): string[] {
  const names = [claim].flat();
  return names.every((name) => typeof name === "string" && isAgentName(name))
    ? [...new Set(names as string[])]
    : [];
}
