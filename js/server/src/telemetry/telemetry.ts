// What follows the requests of a server from outside: traces and metrics. The rest of the server knows this
// file alone, so that nothing is loaded for it unless a setting asks for it.

/** A part of the work on a request, in milliseconds since 1970. */
export interface Part {
  name: PartName;
  from: number;
  to: number;
}

/** The parts that are told apart. They name what the server does, never with what. */
export type PartName =
  /** In the HTTP thread. */
  | "embed question"
  | "extract facts"
  | "analyse episodes"
  /** In the thread of an agent: its turn, and within it the engine, rows that are read, and a transaction. */
  | "turn"
  | "search index"
  | "read rows"
  | "write rows";

/** How a request ended. */
export interface Ended {
  method: string;
  route: string;
  status: number;
  /** The agent that it was about, if it was about one. */
  agent: string | undefined;
}

/** A request that is followed. */
export interface Followed {
  /** The id of its trace, for the log; undefined if its trace is not recorded. */
  traceId: string | undefined;
  /** Handles the request. */
  run<T>(handle: () => Promise<T>): Promise<T>;
  /** Sends what is known of the request. One that does not end is not sent. */
  end(how: Ended): void;
}

/** A metric as the registry of the server has it. */
export interface Measured {
  name: string;
  help: string;
  type: string;
  values: readonly {
    value: number;
    labels: Readonly<Record<string, string | number | undefined>>;
    metricName?: string;
  }[];
}

/** Follows requests, and sends what it learns. */
export interface Telemetry {
  /** Begins to follow a request. `traceparent` is the header by which a client names its trace. */
  follow(traceparent: string | undefined): Followed;
  /** Does a part of the work on the request that is being handled. */
  readonly part: DoPart;
  /** Lets an agent carry out an operation. `ask` is given what hears the parts, if they are wanted. */
  agent<T>(
    operation: string,
    ask: (hear?: (parts: readonly Part[]) => void) => Promise<T>,
  ): Promise<T>;
  /** Sends these metrics at intervals, and when it closes. */
  measure(metrics: () => Promise<readonly Measured[]>): void;
  /** Sends what is left, if that is possible soon. */
  close(): Promise<void>;
}

/** Does a part of the work on a request; see `Telemetry.part`. */
export type DoPart = <T>(name: PartName, work: () => Promise<T>) => Promise<T>;

/** Does a part that nobody follows. */
export const unfollowed: DoPart = (_, work) => work();

/** Returns the time for a part, in milliseconds since 1970: threads count from their own start otherwise. */
export const moment = (): number => performance.timeOrigin + performance.now();
