// Calls to a worker thread that block until it replies: the store is synchronous, and the network
// is not.

import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";

/** The part of the worker data by which the thread takes calls. */
export interface CallsSetup {
  port: MessagePort;
  /** Becomes 1 when the reply has been sent. */
  answered: Int32Array;
}

interface Thread {
  worker: Worker;
  port: MessagePort;
}

/** A worker thread that takes one call after another. It is started by the first call. */
export class BlockingThread<Call, Reply> {
  readonly #script: URL;
  readonly #setup: object;
  readonly #answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #thread: Thread | undefined;

  /** `setup` becomes the worker data of the script, beside `CallsSetup`. */
  constructor(script: URL, setup: object) {
    this.#script = script;
    this.#setup = setup;
  }

  /**
   * Blocks until the thread replies. Returns undefined if it does not within `timeout`
   * milliseconds; the next call starts another thread then.
   */
  call(asked: Call, timeout: number): Reply | undefined {
    this.#thread ??= this.#start();
    const { port } = this.#thread;
    Atomics.store(this.#answered, 0, 0);
    port.postMessage(asked);
    this.#awaitReply(timeout);
    const received = receiveMessageOnPort(port) as { message: Reply } | undefined;
    if (received === undefined) this.close();
    return received?.message;
  }

  /**
   * Blocks until the thread has replied, for at most `timeout` milliseconds. It can be woken before
   * that: the thread notifies after it has set the number, and a late notification of the reply before
   * this one arrives here.
   */
  #awaitReply(timeout: number): void {
    const until = performance.now() + timeout;
    while (Atomics.load(this.#answered, 0) === 0) {
      const left = until - performance.now();
      if (left <= 0 || Atomics.wait(this.#answered, 0, 0, left) === "timed-out") return;
    }
  }

  #start(): Thread {
    const { port1: port, port2 } = new MessageChannel();
    const calls: CallsSetup = { port: port2, answered: this.#answered };
    const workerData = { ...this.#setup, ...calls };
    const worker = new Worker(this.#script, { workerData, transferList: [port2] });
    // The thread does not keep the process alive. Its failure shows as a missing reply.
    worker.unref();
    worker.on("error", () => {});
    port.unref();
    return { worker, port };
  }

  /** Ends the thread. */
  close(): void {
    this.#thread?.port.close();
    this.#thread?.worker.terminate();
    this.#thread = undefined;
  }
}

/** In the thread: answers each call with what `perform` resolves to. It must not reject. */
export function answerCalls<Call, Reply>(
  { port, answered }: CallsSetup,
  perform: (asked: Call) => Promise<Reply>,
): void {
  port.on("message", async (asked: Call) => {
    port.postMessage(await perform(asked));
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  });
}
