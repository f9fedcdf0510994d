// The data of the contest beside libraries and databases, as files that programs in JavaScript and
// Python read: memories and new ones with their texts, the vectors of all, and questions.

import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Components of a vector. */
export const DIMENSIONS = 128;
/** Answers of a question. */
export const LIMIT = 10;
/** Minutes in which a contestant has to fill its files, and a library to be measured. */
export const PATIENCE = 30;
/** What is said of one that has not. */
export const LATE = `not done within ${PATIENCE} minutes`;
/** Memories that libraries take at once. */
const IN_A_BATCH = 10_000;

/** What is asked and written, in `plan.json`. */
export interface Plan {
  memories: number;
  questions: string[];
  /** How often all questions are asked while they are measured. */
  rounds: number;
  /** The seconds after which no more is asked or written. */
  seconds: number;
  /** How much is asked or written all the same. */
  least: number;
}

/** A memory, a line of `memories.jsonl` or `new.jsonl`. */
export interface Memory {
  id: string;
  title: string;
  text: string;
  /** Milliseconds since 1970. */
  created_at: number;
  clusters: readonly string[];
}

/** The files of a data folder. What is small is read at once, so that no time has its reading. */
export class Data {
  readonly plan: Plan;
  /** The new memories. */
  readonly fresh: readonly Memory[];
  /** The vectors of the new memories. */
  readonly added: Float32Array;
  /** The vectors of the questions. */
  readonly asked: Float32Array;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.plan = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
    const lines = readFileSync(join(folder, "new.jsonl"), "utf8").trimEnd().split("\n");
    this.fresh = lines.map((line) => JSON.parse(line));
    this.added = this.#vectorsIn("new.f32");
    this.asked = this.#vectorsIn("questions.f32");
  }

  /** Yields the memories in batches. */
  async *memories(size = IN_A_BATCH): AsyncGenerator<Memory[]> {
    const input = createReadStream(join(this.#folder, "memories.jsonl"));
    let batch: Memory[] = [];
    for await (const line of createInterface({ input })) {
      batch.push(JSON.parse(line));
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  /** Reads the vectors of the memories. */
  vectors(): Float32Array {
    return this.#vectorsIn("memories.f32");
  }

  #vectorsIn(name: string): Float32Array {
    const bytes = readFileSync(join(this.#folder, name));
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }
}

/** Returns the vector of a place. */
export const vectorAt = (vectors: Float32Array, place: number): Float32Array =>
  vectors.subarray(place * DIMENSIONS, (place + 1) * DIMENSIONS);
