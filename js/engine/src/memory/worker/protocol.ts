// What crosses between an index's worker and whoever asks it. Answers come in the order of the
// requests, so that neither carries a number.

import type { NousError, NousErrorCode, NousErrorDetails } from "../../errors.ts";
import type { MemoryIndex } from "../memory-index.ts";
import type { MemoryIndexOptions } from "../types.ts";

/** What a worker says first: its script is there. @internal */
export const LOADED = "loaded";

/** What can be asked of the index: methods, and properties, which are only read. @internal */
export type Asked = Exclude<keyof MemoryIndex, "free" | "snapshotParts" | symbol>;

/** The first message: what the index is made of. @internal */
export interface Start {
  /** A `WebAssembly.Module`. */
  module: object;
  options: MemoryIndexOptions;
  snapshot: Uint8Array | ArrayBuffer | undefined;
}

/** Every other. @internal */
export interface Request {
  asked: Asked;
  /** By their names, in their order. */
  args: Record<string, unknown>;
}

/** What is thrown here as it crosses. @internal */
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

/** An end of the line, in the worker. @internal */
export interface Port {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  onmessageerror: ((event: unknown) => void) | null;
}
