// The key that `nous-server mcp` sends: how it is read, and how its refusal is told.

import { SettingsError } from "../refusal.ts";
import { MCP_KEY_VARIABLE } from "../settings/read.ts";

/**
 * Returns the key of the environment; undefined if there is none.
 *
 * @throws {SettingsError} If a header cannot carry it.
 */
export function keyOf(environment: NodeJS.ProcessEnv): string | undefined {
  const key = (environment[MCP_KEY_VARIABLE] ?? "").trim();
  if (key === "") return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SettingsError(
    `The environment variable ${MCP_KEY_VARIABLE} is no key: it has blanks or characters ` +
      "beyond ASCII. Put there the key that `nous-server keys create` printed.",
  );
}

/** Returns a sentence if an answer of HTTP says that the key is missing, wrong or not enough. */
export function keyProblem(
  status: number,
  error: string | undefined,
  { agent, hasKey }: { agent: string; hasKey: boolean },
): string | undefined {
  const how =
    `make one with \`nous-server keys create --agents ${quoted(agent)} --creates-agents\`, put it into the ` +
    `variable ${MCP_KEY_VARIABLE} (\`env\`) of the client's configuration, and restart the client`;
  if (status === 401)
    return hasKey
      ? `The server does not know the key in ${MCP_KEY_VARIABLE}: ${how}.`
      : `The server has keys, and ${MCP_KEY_VARIABLE} is not set: ${how}.`;
  if (status !== 403 || !hasKey) return undefined;
  return `The key in ${MCP_KEY_VARIABLE} may not do this (${error ?? "forbidden"}): ${how}.`;
}

/** Returns a name as a shell takes it. */
const quoted = (name: string): string =>
  /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
