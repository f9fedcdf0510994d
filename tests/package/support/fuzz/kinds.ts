// What a kind of generated call is, and the world of living objects that the calls are made in.

import type { Callback, Values } from "./values.ts";

// biome-ignore lint/suspicious/noExplicitAny: most of what is passed here is what types forbid
export type Anything = any;
/** The package as JavaScript sees it. */
export type Package = typeof import("nous-wasm") & Anything;

/** Where something lives. */
export type Place = "index" | "texts" | "book" | "usage" | "orchestrator" | "ranking";

/** A snapshot, how many things are in it, and how many components their embeddings have. */
export interface Saved {
  bytes: Uint8Array;
  size: number;
  dimensions: number;
}

/** What lives on from call to call, until its end or another's beginning. */
export class World {
  readonly nous: Package;
  index: Anything;
  texts: Anything;
  book: Anything;
  usage: Anything;
  engine: Anything;
  orchestrator: Anything;
  ranking: Anything;
  /** Components of the index's embeddings. */
  dimensions = 3;
  /** The last snapshots. */
  indexSnapshot: Saved;
  textSnapshot: Saved;
  /** Objects that have been freed: whoever calls them is told so. */
  readonly freed = new WeakSet<object>();
  /** Whether the call goes to the configured engine where it can. */
  prefersEngine = false;
  /** What a getter of an argument runs. */
  readonly callback: Callback;
  /** Handles of the index that may have been removed since. */
  handles = new Uint32Array(0);

  constructor(nous: Package, callback: Callback) {
    this.nous = nous;
    this.callback = callback;
    this.index = new nous.MemoryIndex({ dimensions: this.dimensions });
    this.texts = new nous.TextIndex();
    this.book = new nous.PlaybookBook();
    this.usage = new nous.UsageTracker({ maxRecords: 40 });
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

  /** Gives back what is given back by hand. */
  end(): void {
    this.index.free();
    this.texts.free();
  }
}

/** Generated calls of one export, method, getter or constructor. */
export interface Kind {
  /** `rerankTop`, `MemoryIndex.upsert`, `new TextIndex`. */
  name: string;
  /** How often it is called, beside others. */
  weight: number;
  /** Its arguments. */
  args(values: Values, world: World): Anything[];
  call(world: World, args: Anything[]): unknown;
  /** What is wrong with an answer; nothing where it is right. */
  fault?: ((answer: Anything, args: Anything[], world: World) => string | undefined) | undefined;
  /** Errors that it may answer with beside `invalid_argument`. */
  codes?: readonly string[] | undefined;
  /** Where what it is asked of lives. */
  place?: Place | undefined;
  /** Whether it changes what lives there: where it is refused, nothing may have changed. */
  isChange?: boolean | undefined;
  /** Whether its answer is a promise. */
  isWaiting?: boolean | undefined;
  /**
   * Whether the answer follows from the arguments alone, however often it is asked for and in
   * whatever form they come.
   */
  isPure?: boolean | undefined;
  /**
   * Whether it takes numbers as `Math` does: what cannot be a number throws JavaScript's own error.
   */
  isNumeric?: boolean | undefined;
  /** Whether the reference in plain TypeScript answers the same. */
  isModelled?: boolean | undefined;
}

/** What is wrong where something should hold. */
export const unless = (holds: boolean, fault: string): string | undefined =>
  holds ? undefined : fault;

export const isNumber = (value: unknown): value is number =>
  typeof value === "number" && !Number.isNaN(value);

/** Whether numbers fall, or stay; what is no number does neither. */
export const falls = (scores: ArrayLike<number>): boolean => {
  for (let place = 0; place < scores.length; place++) {
    if (!(scores[place]! <= (place === 0 ? Number.POSITIVE_INFINITY : scores[place - 1]!)))
      return false;
  }
  return true;
};

export const isText = (value: unknown): value is string => typeof value === "string";
