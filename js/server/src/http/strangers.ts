// What keeps pages of other origins out while there are no keys: a name that leads here by a trick of DNS, and requests that a
// browser makes for a page of somebody else's.

import { Refusal } from "../agent/errors.ts";
import { LOOPBACK } from "../settings/options.ts";

/** @throws {Refusal} for a request that was not meant for this machine, or was made by a page of another origin. */
export function refuseStrangers(host: string | undefined, origin: string | undefined): void {
  const here = urlOf(`http://${host ?? ""}`);
  // An IPv6 address stands in brackets.
  if (here === undefined || !LOOPBACK.test(here.hostname.replace(/^\[|\]$/g, ""))) {
    throw new Refusal(403, "the Host header must be a name of this machine");
  }
  if (origin !== undefined && urlOf(origin)?.host !== here.host) {
    throw new Refusal(403, "a page of another origin may not ask");
  }
}

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);
