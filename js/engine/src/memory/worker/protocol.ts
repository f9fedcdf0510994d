// Messages between an index's worker and its owner. Answers come in the order of the requests, so
// messages have no numbers.

import type { NousError, NousErrorCode, NousErrorDetails } from "../../errors.ts";
import type { MemoryIndex } from "../memory-index.ts";
import type { MemoryIndexOptions } from "../types.ts";

/** The first message of a worker: its script runs. @internal */
export const LOADED = "loaded";

/** The methods and properties of the index that a request can name. @internal */
export type Asked = Exclude<keyof MemoryIndex, "free" | "snapshotParts" | symbol>;

/** The first message to a worker: how to make the index. @internal */
export interface Start {
  /** A `WebAssembly.Module`. */
  module: object;
  options: MemoryIndexOptions;
  snapshot: Uint8Array | ArrayBuffer | undefined;
}

/** Every other message to a worker. @internal */
export interface Request {
  asked: Asked;
  /** The arguments by name, in the order of the method's parameters. */
  args: Record<string, unknown>;
}

/** A `NousError` as a message. @internal */
export interface Refused {
  code: NousErrorCode;
  message: string;
  details: NousErrorDetails;
}

/** @internal */
export type Answer = { value: unknown } | { refused: Refused } | { thrown: unknown };

/** The exports of the package's core that the worker's loop uses. @internal */
export interface WorkerCore {
  initSync(module: object): void;
  MemoryIndex: typeof MemoryIndex;
  NousError: typeof NousError;
}

/** The worker's end of the connection. @internal */
export interface Port {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  onmessageerror: ((event: unknown) => void) | null;
}
