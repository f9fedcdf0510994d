// Refuses requests that a browser sends for pages of other origins, with or without keys: requests
// to a host name that only DNS rebinding leads here, and cross-site requests.

import { Refusal } from "../refusal.ts";
import { LOOPBACK } from "../settings/options.ts";

/** Hosts and origins that may send requests. */
export interface AllowedOrigins {
  /** Host names of this server beside loopback, as URLs write them. */
  hosts: readonly string[];
  /** Origins whose pages may send requests. */
  origins: readonly string[];
}

/** Headers that say where a request comes from and which host it is for. */
export interface Provenance {
  host: string | undefined;
  origin: string | undefined;
  /** `Sec-Fetch-Site`: browsers send it with requests without an origin. */
  site: string | undefined;
}

/** @throws {Refusal} for a request to another host, or from a page of another origin. */
export function refuseForeignOrigins(
  { host, origin, site }: Provenance,
  { hosts, origins }: AllowedOrigins,
): void {
  const here = urlOf(`http://${host ?? ""}`);
  if (here === undefined || !(isLoopback(here.hostname) || hosts.includes(here.hostname))) {
    throw new Refusal(403, "the Host header must be a name of this server");
  }
  if (origin === undefined ? site === "cross-site" || site === "same-site" : !isOurs(origin)) {
    throw new Refusal(403, "a page of another origin may not send requests");
  }

  function isOurs(from: string): boolean {
    return origins.includes(from) || urlOf(from)?.host === here?.host;
  }
}

// An IPv6 address stands in brackets.
const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname.replace(/^\[|\]$/g, ""));

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);
