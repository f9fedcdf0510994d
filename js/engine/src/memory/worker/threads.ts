// Where the threads of indexes come from: every environment has workers of its own, or none, which
// its entry knows.

import { NousError } from "../../errors.ts";

/** Whoever hears of a thread. @internal */
export interface Listener {
  heard(message: unknown): void;
  /** It cannot go on, or is gone. */
  lost(how: string, cause?: unknown): void;
}

/** A worker of whatever environment, which runs the script. @internal */
export interface Thread {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  listen(listener: Listener): void;
  /** Whether the process is to stay for it. */
  hold(isHeld: boolean): void;
  terminate(): Promise<void>;
}

let open: (() => Thread) | undefined;

/** Says how a thread is opened; for entries. @internal */
export function setIndexThreads(how: () => Thread): void {
  open = how;
}

/** A new thread. @internal */
export function openThread(): Thread {
  if (open === undefined) {
    const message =
      'This entry knows no worker: import createIndexWorker from "nous-wasm", or use MemoryIndex, which needs none.';
    throw new NousError("unsupported", message);
  }
  try {
    return open();
  } catch (cause) {
    if (cause instanceof NousError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new NousError("unsupported", `The worker could not be started: ${why}`, {}, { cause });
  }
}
