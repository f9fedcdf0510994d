// The keys by which an issuer signs access tokens. They are asked for with the first token, and kept. No
// token leads to another address: where the keys are, the metadata of the issuer tells.

import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type JWTVerifyGetKey,
  type LocalJWKSet,
} from "jose";
import { z } from "zod";
import type { Logger } from "../log.ts";
import { boundedText } from "../providers/bounded-text.ts";
import { Refusal } from "../refusal.ts";
import { isSecureUrl } from "../settings/options.ts";

/** How long the requests for the keys may take together, in milliseconds. */
const PATIENCE = 5_000;
/** The largest answer of an issuer, in bytes. */
const MAX_ANSWER = 2 ** 19;
/** The most characters that are told of the name of another issuer. */
const MAX_TOLD = 200;
/** How long keys count before they are asked for again, in milliseconds. */
const FRESH = 10 * 60_000;
/** How long they count if the issuer does not answer. */
const USABLE = 60 * 60_000;
/** The least time between two requests because of tokens of unknown keys. */
const BETWEEN_UNKNOWN = 30_000;
/** The least time between a request that failed and the next. */
const BETWEEN_FAILED = 10_000;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** Why the keys cannot be had, as a clause. */
class NoKeys extends Error {}

/** The keys of an issuer. */
export class IssuerKeys {
  #keys: LocalJWKSet | undefined;
  /** When the keys came, when a request for them failed, and when one was made for an unknown key. */
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #missedAt = Number.NEGATIVE_INFINITY;
  #renewal: Promise<void> | undefined;
  #problem: string | undefined;

  constructor(
    readonly issuer: string,
    readonly log: Logger,
    /** Returns the time in milliseconds. */
    readonly now: () => number = () => performance.now(),
  ) {}

  /** A sentence if the keys cannot be had; undefined if they can, or no token came yet. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Returns the key that signed a token.
   *
   * @throws {Refusal} If no keys of the issuer are known.
   * @throws {errors.JOSEError} If the token names none of them, or not one alone.
   */
  readonly keyFor: JWTVerifyGetKey<CryptoKey> = async (header, token) => {
    if (this.now() - this.#readAt > FRESH) {
      const renewal = this.#renew();
      // Nobody waits again for an issuer that failed, as long as its former keys count.
      if (this.#problem === undefined || !this.#isUsable) await renewal;
    }
    try {
      return await this.#find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (this.now() - this.#missedAt < BETWEEN_UNKNOWN) throw error;
      this.#missedAt = this.now();
      await this.#renew();
      return this.#find(header, token);
    }
  };

  /** Whether the keys that came last count still. */
  get #isUsable(): boolean {
    return this.now() - this.#readAt <= USABLE;
  }

  async #find(...token: Parameters<LocalJWKSet>): Promise<CryptoKey> {
    if (this.#keys === undefined || !this.#isUsable)
      throw new Refusal(503, "tokens cannot be checked now: their issuer does not give its keys");
    try {
      return await this.#keys(...token);
    } catch (error) {
      if (error instanceof errors.JOSEError) throw error;
      throw new errors.JWKInvalid("the key of the issuer cannot be used");
    }
  }

  /** Asks for the keys; never rejects. Requests that come meanwhile wait for the same answer. */
  async #renew(): Promise<void> {
    if (this.now() - this.#failedAt < BETWEEN_FAILED) return;
    this.#renewal ??= this.#read().finally(() => {
      this.#renewal = undefined;
    });
    await this.#renewal;
  }

  async #read(): Promise<void> {
    try {
      this.#keys = createLocalJWKSet(await keysOf(this.issuer));
      this.#readAt = this.now();
      if (this.#problem !== undefined) this.log.info(`${this.issuer} gives its keys again`);
      this.#problem = undefined;
    } catch (error) {
      this.#failedAt = this.now();
      const problem = `the issuer of tokens does not give its keys (${reasonOf(error)}): until it does, tokens may be refused at /mcp`;
      if (problem !== this.#problem) this.log.warn(`${this.issuer}: ${problem}`);
      this.#problem = problem;
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof NoKeys || error instanceof errors.JOSEError) return error.message;
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  return name === "TimeoutError" ? `no answer within ${PATIENCE} ms` : (cause?.code ?? message);
}

/** @throws {NoKeys} Also what `fetch` throws. */
async function keysOf(issuer: string): Promise<z.infer<typeof keysSchema>> {
  const signal = AbortSignal.timeout(PATIENCE);
  const { issuer: named, jwks_uri: place } = await metadataOf(issuer, signal);
  if (named !== issuer)
    throw new NoKeys(
      `its metadata names ${JSON.stringify(named.slice(0, MAX_TOLD))} as the issuer, not this one`,
    );
  const isPlain = place.startsWith("http:") && !issuer.startsWith("http:");
  if (isPlain || !isSecureUrl(place.replace(/\?.*$/s, "")))
    throw new NoKeys("its jwks_uri is no URL with https");
  const found = keysSchema.safeParse(await jsonAt(place, signal));
  if (found.data === undefined) throw new NoKeys("at its jwks_uri are no keys");
  return found.data;
}

/**
 * Returns the metadata of an issuer. RFC 8414 and OpenID Connect Discovery place them differently if the
 * issuer has a path.
 */
async function metadataOf(
  issuer: string,
  signal: AbortSignal,
): Promise<z.infer<typeof metadataSchema>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/+$/, "");
  const places = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]);
  let failed: NoKeys | undefined;
  for (const place of places) {
    const found = await jsonAt(place, signal).catch((error: unknown) => {
      if (!(error instanceof NoKeys)) throw error;
      failed ??= error;
    });
    const { data } = metadataSchema.safeParse(found);
    if (data !== undefined) return data;
  }
  if (failed !== undefined) throw failed;
  throw new NoKeys("it has no metadata with a jwks_uri");
}

/** Returns what is at a URL; undefined if nothing is there, or no JSON. Follows no redirect. */
async function jsonAt(url: string, signal: AbortSignal): Promise<unknown> {
  const headers = { accept: "application/json" };
  const response = await fetch(url, { signal, headers, redirect: "manual" });
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status >= 500) throw new NoKeys(`status ${response.status}`);
    return undefined;
  }
  const text = await boundedText(response, MAX_ANSWER);
  if (text === undefined) throw new NoKeys(`an answer is larger than ${MAX_ANSWER} bytes`);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
