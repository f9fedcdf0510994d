// The state of a memory index: its instance, and the ids of its rows and slots.

import {
  NAME_CLUSTER,
  NAME_EDGE_TYPE,
  NAME_SUBTYPE,
  NAME_TAG,
  NAME_TYPE,
} from "../generated/layout.ts";
import { refusal } from "../refusal.ts";
import type { IndexState } from "../resident/resident-index.ts";
import {
  damaged,
  type InSteps,
  RestoredIds,
  readParts,
  type SnapshotSource,
} from "../resident/snapshot.ts";
import { ownInstance, type PlainData } from "../runtime.ts";
import { ScratchView } from "../scratch-view.ts";
import { type MemoryScratch, Names, type ResidentMemory } from "./names.ts";
import type { WordVectors } from "./types.ts";

/** The names of nodes and edges. @internal */
export interface AllNames {
  types: Names;
  subtypes: Names;
  edgeTypes: Names;
  tags: Names;
  clusters: Names;
}

/** @internal */
export interface MemoryState extends IndexState<ResidentMemory> {
  /** Slots of edges by id. */
  slots: Map<string, number>;
  /** Ids of edges by slot. */
  edgeIds: (string | undefined)[];
  names: AllNames;
  embeddingId: string;
  /**
   * Adds the vector of a word to a sum, both at an address of the module's memory. Returns false if
   * the word has no vector. Does not throw.
   */
  addWord: (word: number, length: number, sum: number) => boolean;
  /**
   * Calls the embedder once, so that an error that every word would cause, such as a freed
   * embedder, is thrown before anything changes.
   */
  tryEmbedder: () => void;
}

/** The state of an index without nodes. @internal */
export function newState(resident: MemoryScratch, embeddingId: string): MemoryState {
  return {
    resident,
    rows: new Map(),
    ids: [],
    slots: new Map(),
    edgeIds: [],
    names: {
      types: new Names(resident, NAME_TYPE),
      subtypes: new Names(resident, NAME_SUBTYPE),
      edgeTypes: new Names(resident, NAME_EDGE_TYPE),
      tags: new Names(resident, NAME_TAG),
      clusters: new Names(resident, NAME_CLUSTER),
    },
    embeddingId,
    addWord: () => false,
    tryEmbedder: () => {},
    snapshots: 0,
    isFreed: false,
  };
}

/** The word "a" in UTF-8. */
const TRIED = Uint8Array.of(97);

/** Where words get their vectors, and whether they are stemmed. @internal */
export interface TextOptions {
  embedder: WordVectors | undefined;
  stems: boolean;
}

/** Returns how words are read, as the module takes it. */
const wordOptionsOf = ({ embedder, stems }: TextOptions) =>
  [embedder?.dimensions ?? 0, stems, embedder?.id ?? ""] as const;

/** Gives words the vectors of the embedder from now on. */
function useEmbedder(state: MemoryState, { embedder }: TextOptions): void {
  if (embedder === undefined) return;
  const { instance } = state.resident;
  const { dimensions } = embedder;
  state.addWord = (word, length, sum) => {
    const { buffer } = instance.memory;
    try {
      return Boolean(
        embedder.addWord(
          new Uint8Array(buffer, word, length),
          new Float32Array(buffer, sum, dimensions),
        ),
      );
    } catch {
      // An exception would leave the module in the middle of its work.
      return false;
    }
  };
  state.tryEmbedder = () => void embedder.addWord(TRIED, new Float32Array(dimensions));
}

/** Options of a memory, checked. @internal */
export interface MemoryOptions {
  dimensions: number;
  i8: boolean;
  embeddingId: string;
  maxBytes: number;
}

/** Makes an empty memory in an instance of its own. @internal */
export function createMemory(
  config: PlainData | undefined,
  { dimensions, i8, embeddingId, maxBytes }: MemoryOptions,
  texts: TextOptions,
): MemoryState {
  const instance = ownInstance();
  const { glue, memory } = instance;
  const size = memory.buffer.byteLength;
  const module = glue.ResidentMemory.create(config, dimensions, i8, embeddingId, maxBytes, size);
  if (module === undefined) throw refusal(glue);
  module.keep_texts(...wordOptionsOf(texts));
  const state = newState(new ScratchView(instance, module), embeddingId);
  useEmbedder(state, texts);
  return state;
}

/**
 * Reads a snapshot into a memory in an instance of its own, and pauses after each part. @internal
 */
export function* restoreMemory(
  source: SnapshotSource,
  config: PlainData | undefined,
  maxBytes: number,
  texts: TextOptions,
): InSteps<MemoryState> {
  const instance = ownInstance();
  const { glue, memory } = instance;
  const restorer = glue.MemoryRestorer.create(
    config,
    maxBytes,
    memory.buffer.byteLength,
    ...wordOptionsOf(texts),
  );
  if (restorer === undefined) throw refusal(glue);
  const [ofNodes, ofEdges] = [new RestoredIds(), new RestoredIds()];
  yield* readParts(source, instance, restorer, [ofNodes, ofEdges]);
  const embeddingId = restorer.embedding_id();
  const [nodes, edges] = [restorer.nodes(), restorer.edges()];
  const module = restorer.finish();
  restorer.free();
  if (module === undefined) throw refusal(glue);
  if (ofNodes.ids.length !== nodes || ofEdges.ids.length !== edges)
    throw damaged("has too few or too many ids");
  const state = newState(new ScratchView(instance, module), embeddingId);
  [state.ids, state.rows] = [ofNodes.ids, ofNodes.places];
  [state.edgeIds, state.slots] = [ofEdges.ids, ofEdges.places];
  useEmbedder(state, texts);
  return state;
}
