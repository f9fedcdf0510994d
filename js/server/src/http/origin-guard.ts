// What keeps pages of other origins out, keys or none: a name that leads here by a trick of DNS,
// and requests that a browser makes for a page of somebody else's.

import { Refusal } from "../refusal.ts";
import { LOOPBACK } from "../settings/options.ts";

/** Who is none. */
export interface AllowedOrigins {
  /** Names that this server has beside those of the machine itself, as URLs write them. */
  hosts: readonly string[];
  /** Origins whose pages may ask. */
  origins: readonly string[];
}

/** Headers that tell where a request comes from, and where it is meant to go. */
export interface Provenance {
  host: string | undefined;
  origin: string | undefined;
  /** `Sec-Fetch-Site`: browsers say by it whose page asks, where they send no origin. */
  site: string | undefined;
}

/**
 * @throws {Refusal} for a request that was not meant for this server, or was made by a page of
 * another origin.
 */
export function refuseForeignOrigins(
  { host, origin, site }: Provenance,
  { hosts, origins }: AllowedOrigins,
): void {
  const here = urlOf(`http://${host ?? ""}`);
  if (here === undefined || !(isLoopback(here.hostname) || hosts.includes(here.hostname))) {
    throw new Refusal(403, "the Host header must be a name of this server");
  }
  if (origin === undefined ? site === "cross-site" || site === "same-site" : !isOurs(origin)) {
    throw new Refusal(403, "a page of another origin may not ask");
  }

  function isOurs(from: string): boolean {
    return origins.includes(from) || urlOf(from)?.host === here?.host;
  }
}

// An IPv6 address stands in brackets.
const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname.replace(/^\[|\]$/g, ""));

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);
