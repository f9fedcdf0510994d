// Opening the thread of an index. Each environment has its own kind of worker, or none; its entry
// sets the way to open one.

import { NousError } from "../../errors.ts";

/** The receiver of a thread's messages. @internal */
export interface Listener {
  heard(message: unknown): void;
  /** The thread failed or ended. */
  lost(how: string, cause?: unknown): void;
}

/** A worker of any environment, which runs the script of an index. @internal */
export interface Thread {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  listen(listener: Listener): void;
  /** Sets whether the process stays alive for the thread. */
  hold(isHeld: boolean): void;
  terminate(): Promise<void>;
}

let open: (() => Thread) | undefined;

/** Sets how a thread is opened. For entries. @internal */
export function setIndexThreads(how: () => Thread): void {
  open = how;
}

/** Opens a thread. Throws `unsupported` if this environment or entry has no workers. @internal */
export function openThread(): Thread {
  if (open === undefined) {
    const message =
      'This entry has no workers: import createIndexWorker from "nous-wasm", or use MemoryIndex, which needs none.';
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
