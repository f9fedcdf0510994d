// The name of an agent as a header: its bytes in UTF-8, since headers hold bytes.

/** Returns the value of the header `X-Nous-Agent` for an agent. */
export const asHeader = (agent: string): string => Buffer.from(agent, "utf8").toString("latin1");
