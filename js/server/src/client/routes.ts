// The data on operations that the client needs at run time. The build replaces this file by its
// values, so that the published client has no dependencies.

import { BASE } from "../api/base-path.ts";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../api/operations.ts";
import type { Operations } from "./types.ts";

export interface Route {
  method: string;
  /** The path, with `{id}` for a parameter. */
  path: string;
  hasBody: boolean;
  hasQuery: boolean;
}

const OPERATIONS: Operations = { ...AGENT_OPERATIONS, ...AGENTLESS_OPERATIONS };

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
