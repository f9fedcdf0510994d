// Messages over standard input and output, one a line. A line that cannot be read is answered by an
// error, and the next one is read: a client that waits for an answer gets one.

import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import {
  cancelledBy,
  cancelledIn,
  type Fault,
  faultOf,
  INVALID_REQUEST,
  readMessages,
} from "./json-rpc.ts";

/** The longest line, in bytes. */
const MAX_LINE = 10 * 2 ** 20;
const NEWLINE = 0x0a;

/** A batch that waits for the answers to its requests. */
interface Batch {
  waiting: Set<RequestId>;
  answers: (JSONRPCMessage | Fault)[];
}

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  #answered: RequestId | undefined;
  #parts: Buffer[] = [];
  #length = 0;
  readonly #batches = new Set<Batch>();

  /** `answered` is the id of a request that is answered already: its answer is dropped. */
  constructor(input: Readable, output: Writable, answered: RequestId | undefined) {
    this.#input = input;
    this.#output = output;
    this.#answered = answered;
  }

  async start(): Promise<void> {
    this.#input.on("data", (chunk: Buffer) => this.#take(chunk));
    // A client that reads no more has gone.
    this.#output.on("error", () => void this.close());
  }

  async close(): Promise<void> {
    this.#input.pause();
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    if (id !== undefined && id === this.#answered) {
      this.#answered = undefined;
      return;
    }
    const batch = id === undefined ? undefined : this.#batchOf(id);
    if (batch === undefined) return this.#write(message);
    batch.answers.push(message);
    await this.#settle(batch, id!);
  }

  /** Splits the input into lines. Of a line that is too long only its end is waited for. */
  #take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      const [isTooLong, line] = [this.#length > MAX_LINE, Buffer.concat(this.#parts)];
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
      if (isTooLong) {
        const problem = `Invalid Request: a message has at most ${MAX_LINE} bytes`;
        void this.#write(faultOf(INVALID_REQUEST, problem));
      } else this.#read(line.toString("utf8"));
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > MAX_LINE) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #read(line: string): void {
    if (line.trim() === "") return;
    const read = readMessages(line);
    const cancelled = cancelledIn(read);
    const messages = read.items
      .flatMap((item) => ("message" in item ? item.message : []))
      .filter((message) => !isJSONRPCRequest(message) || !cancelled.has(message.id));
    const faults = read.items.flatMap((item) => ("fault" in item ? item.fault : []));
    if (read.isBatch) {
      const waiting = messages.flatMap((one) => (isJSONRPCRequest(one) ? one.id : []));
      const batch = { waiting: new Set(waiting), answers: faults };
      if (batch.waiting.size > 0) this.#batches.add(batch);
      else if (faults.length > 0) void this.#write(faults);
    } else for (const fault of faults) void this.#write(fault);
    for (const message of messages) {
      const id = cancelledBy(message);
      this.onmessage?.(message);
      const batch = id === undefined ? undefined : this.#batchOf(id);
      if (batch !== undefined) void this.#settle(batch, id!);
    }
  }

  #batchOf(id: RequestId): Batch | undefined {
    for (const batch of this.#batches) if (batch.waiting.has(id)) return batch;
    return undefined;
  }

  /** A request of a batch is answered, or cancelled. The last one sends the answers. */
  async #settle(batch: Batch, id: RequestId): Promise<void> {
    batch.waiting.delete(id);
    if (batch.waiting.size > 0) return;
    this.#batches.delete(batch);
    if (batch.answers.length > 0) await this.#write(batch.answers);
  }

  #write(answer: JSONRPCMessage | Fault | Batch["answers"]): Promise<void> {
    return new Promise((resolve) => {
      // Whether the client reads it or has gone, there is nothing else to do.
      this.#output.write(`${JSON.stringify(answer)}\n`, () => resolve());
    });
  }
}
