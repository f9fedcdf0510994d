// The rules for names of agents, and the default agent.

/** The agent of requests that name no agent. */
export const DEFAULT_AGENT = "default";
/** The most UTF-16 units of an agent's name. */
export const MAX_AGENT_NAME = 200;

/**
 * The rule for names of agents, for messages. A valid name fits into a header and into the path of
 * a URL.
 */
export const AGENT_NAME = `must be a name in UTF-8 of 1 to ${MAX_AGENT_NAME} characters, without control characters, and not . or ..`;

/** Returns whether a text is a valid name of an agent. */
export const isAgentName = (name: string): boolean =>
  name.length <= MAX_AGENT_NAME &&
  /^[^\p{Cc}\p{Cs}\u{fffd}]+$/u.test(name) &&
  name !== "." &&
  name !== "..";

/**
 * Returns the value of the header `X-Nous-Agent` for an agent: its bytes in UTF-8, since headers hold
 * bytes.
 */
export const asHeader = (agent: string): string => Buffer.from(agent, "utf8").toString("latin1");
