// Names of agents.

/** The agent of requests that name none. */
export const USUAL_AGENT = "default";
/** UTF-16 units of an agent's name. */
export const MOST_AGENT_NAME = 200;

/** What a name of an agent has to be, so that a header and a path of a URL carry it. */
export const AGENT_NAME = `must be a name in UTF-8 of 1 to ${MOST_AGENT_NAME} characters, without control characters, and not . or ..`;

/** Whether an agent can be called that. */
export const isAgentName = (name: string): boolean =>
  name.length <= MOST_AGENT_NAME &&
  /^[^\p{Cc}\p{Cs}\u{fffd}]+$/u.test(name) &&
  name !== "." &&
  name !== "..";
