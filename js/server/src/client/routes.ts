// What a client has to know of the operations while it runs. The build puts the outcome in the
// place of this file, so that the client that is published has no dependencies.

import { AGENT_OPERATIONS, PLAIN_OPERATIONS } from "../api/operations.ts";
import { BASE } from "../http/route.ts";
import type { Operations } from "./types.ts";

export interface Route {
  method: string;
  /** With `{id}` for a part that changes. */
  path: string;
  hasBody: boolean;
  hasQuery: boolean;
}

const OPERATIONS: Operations = { ...AGENT_OPERATIONS, ...PLAIN_OPERATIONS };

export const ROUTES: Readonly<Record<string, Route>> = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, { method, path, ...parts }]) => [
    name,
    {
      method: method.toUpperCase(),
      path: `${BASE}${path}`,
      hasBody: "body" in parts,
      hasQuery: "query" in parts,
    },
  ]),
);
