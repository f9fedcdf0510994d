// What a release leaves: a data folder, and what its server answered about it.

/** A request, and the answer to it. */
export interface Told {
  agent: string;
  call: string;
  body?: object | undefined;
  headers?: object | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  answer: any;
}

/** The contents of `answers.json.gz`. */
export interface Fixture {
  /** When the folder was left, in milliseconds since 1970. */
  at: number;
  /** A key for all agents, and one for the agent `trader` alone. */
  keys: { all: string; trader: string };
  /** The rows of each agent's tables. */
  rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  told: readonly Told[];
}
