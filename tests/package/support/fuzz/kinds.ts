// The definition of a kind of generated call, and the world of living objects that the calls use.

import type { Callback, Values } from "./values.ts";

// biome-ignore lint/suspicious/noExplicitAny: most of what is passed here is what types forbid
export type Anything = any;
/** The package as JavaScript sees it. */
export type Package = typeof import("nous-wasm") & Anything;

/** The slot of a living object. */
export type Place = "index" | "texts" | "embedder" | "book" | "usage" | "orchestrator" | "ranking";

/** A snapshot, its number of nodes or documents, and the length of their embeddings. */
export interface Saved {
  bytes: Uint8Array;
  size: number;
  dimensions: number;
}

/** A token table of three tokens with 16 dimensions, in rows of four bits. */
export const TABLE: Uint8Array = tableOf(["gold", "tea", "##s"], 16);

function tableOf(tokens: readonly string[], dimensions: number): Uint8Array {
  const vocabulary = Buffer.from(tokens.join("\n"));
  const head = Buffer.alloc(20 + Math.ceil(vocabulary.length / 4) * 4);
  head.write("NOUSEMB2");
  for (const [place, number] of [tokens.length, dimensions, vocabulary.length].entries())
    head.writeUInt32LE(number, 8 + 4 * place);
  vocabulary.copy(head, 20);
  const scales = Buffer.from(new Float32Array(tokens.length).fill(0.5).buffer);
  const rows = Buffer.from(
    Uint8Array.from({ length: (tokens.length * dimensions) / 2 }, (_, place) => place * 37),
  );
  return new Uint8Array(Buffer.concat([head, scales, rows]));
}

/** Objects that live from call to call, until they are freed or replaced. */
export class World {
  readonly nous: Package;
  index: Anything;
  texts: Anything;
  embedder: Anything;
  book: Anything;
  usage: Anything;
  patterns: Anything;
  engine: Anything;
  orchestrator: Anything;
  ranking: Anything;
  /** Components of the index's embeddings. */
  dimensions = 3;
  /** The last snapshots. */
  indexSnapshot: Saved;
  textSnapshot: Saved;
  /** Freed objects: a call of these must report it. */
  readonly freed = new WeakSet<object>();
  /** Whether the call goes to the configured engine if it has the function. */
  prefersEngine = false;
  /** The function that a getter of an argument runs. */
  readonly callback: Callback;
  /** Handles of the index that may have been removed since. */
  handles = new Uint32Array(0);

  constructor(nous: Package, callback: Callback) {
    this.nous = nous;
    this.callback = callback;
    this.index = new nous.MemoryIndex({ dimensions: this.dimensions });
    this.texts = new nous.TextIndex();
    this.embedder = new nous.Embedder(TABLE);
    this.book = new nous.PlaybookBook();
    this.usage = new nous.UsageTracker({ maxRecords: 40 });
    this.patterns = new nous.PatternSet([{ name: "tea", pattern: "tea|gold" }]);
    this.engine = nous.createEngine({ sections: { intentBoost: 2 }, salienceGrowth: true });
    this.orchestrator = nous.createOrchestrator({ search: () => [] });
    this.ranking = this.index.search({}).ranking;
    this.indexSnapshot = { bytes: this.index.snapshot(), size: 0, dimensions: this.dimensions };
    this.textSnapshot = { bytes: this.texts.snapshot(), size: 0, dimensions: 0 };
  }

  /** The ids of all memories of the index. */
  known(): string[] {
    return this.freed.has(this.index) ? [] : [...this.index.ids()];
  }

  /** Frees the objects that callers free by hand. */
  end(): void {
    this.index.free();
    this.texts.free();
    this.embedder.free();
  }
}

/** Generated calls of one export, method, getter or constructor. */
export interface Kind {
  /** For example `rerankTop`, `MemoryIndex.upsert`, `new TextIndex`. */
  name: string;
  /** Its frequency relative to others. */
  weight: number;
  /** Its arguments. */
  args(values: Values, world: World): Anything[];
  call(world: World, args: Anything[]): unknown;
  /** Returns the fault of an answer; undefined if it is right. */
  fault?: ((answer: Anything, args: Anything[], world: World) => string | undefined) | undefined;
  /** Errors that it may raise beside `invalid_argument`. */
  codes?: readonly string[] | undefined;
  /** The slot of the object that it is called on. */
  place?: Place | undefined;
  /** Whether it changes the object: a refused call may change nothing. */
  isChange?: boolean | undefined;
  /** Whether its answer is a promise. */
  isWaiting?: boolean | undefined;
  /**
   * Whether the answer depends on the arguments only, in any number of calls and in any form of the
   * arguments.
   */
  isPure?: boolean | undefined;
  /**
   * Whether it converts arguments to numbers as `Math` does: inconvertible values raise
   * JavaScript's own error.
   */
  isNumeric?: boolean | undefined;
  /** Whether the plain-TypeScript reference gives the same answer. */
  isModelled?: boolean | undefined;
}

/** The fault if a condition does not hold. */
export const unless = (holds: boolean, fault: string): string | undefined =>
  holds ? undefined : fault;

export const isNumber = (value: unknown): value is number =>
  typeof value === "number" && !Number.isNaN(value);

/** Whether numbers never rise; NaN makes it false. */
export const falls = (scores: ArrayLike<number>): boolean => {
  for (let place = 0; place < scores.length; place++) {
    if (!(scores[place]! <= (place === 0 ? Number.POSITIVE_INFINITY : scores[place - 1]!)))
      return false;
  }
  return true;
};

export const isText = (value: unknown): value is string => typeof value === "string";
