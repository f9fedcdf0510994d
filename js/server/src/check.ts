// `nous-server check`: checks each agent's database, its full-text index, and the index that a
// server would build of it.

import { atOnce, type EngineYaml, memoryEdgeOf, memoryNodeOf, vectorOf } from "nous-memory";
import { inSnakeCase, MemoryIndex } from "nous-wasm";
import { TextReplica } from "./agent/replica/text-replica.ts";
import { type ClosedDatabase, databasesOf } from "./storage/open.ts";
import type { Place } from "./storage/place.ts";
import type { Storage } from "./storage/storage.ts";

/** The findings on one database. */
export interface Checked {
  /** The path or URL of the database. */
  where: string;
  agent: string;
  nodes: number;
  edges: number;
  /** The problems, in words. */
  problems: string[];
}

/** Checks every agent's database. Changes nothing; a server may be running. */
export function* checkAll(place: Place, config: EngineYaml): Iterable<Checked> {
  for (const found of databasesOf(place)) yield check(found, config);
}

function check({ where, open }: ClosedDatabase, config: EngineYaml): Checked {
  const checked: Checked = { where, agent: "", nodes: 0, edges: 0, problems: [] };
  try {
    const storage = open({ migrates: false });
    try {
      checked.problems.push(...storage.soundness.problems(), ...storage.soundness.loose());
      checked.agent = storage.meta("agent") ?? "";
      storage.snapshot(() => {
        checkIndex(storage, config, checked);
        checkTexts(storage, checked);
      });
    } finally {
      storage.close();
    }
  } catch (error) {
    checked.problems.push((error as Error).message);
  }
  return checked;
}

/** Builds the full-text index as a server would, and checks that every memory is in it. */
function checkTexts(storage: Storage, { nodes, problems }: Checked): void {
  const texts = new TextReplica(true);
  try {
    atOnce(texts.load(storage));
    if (texts.index.size !== nodes) {
      problems.push(
        `the full-text index in memory has ${texts.index.size} memories, and the database ${nodes}`,
      );
    }
  } finally {
    texts.forget();
  }
}

/** Builds the index as a server would, and checks that every memory and edge is in it. */
function checkIndex(storage: Storage, config: EngineYaml, checked: Checked): void {
  const dimensions = storage.embeddings.dimensions();
  const index = new MemoryIndex({ dimensions, config: inSnakeCase(config) });
  try {
    for (const rows of storage.nodes.indexed()) {
      checked.nodes += rows.length;
      const odd = rows.filter(
        ({ embedding_vector: bytes }) => bytes !== null && !vectorOf(bytes, dimensions),
      );
      if (odd.length > 0)
        checked.problems.push(`${odd.length} vectors do not have ${dimensions} components`);
      index.upsert(rows.map((row) => memoryNodeOf(row, dimensions, Date.now())));
    }
    for (const rows of storage.edges.indexed()) {
      checked.edges += rows.length;
      const { ignored } = index.link(rows.map(memoryEdgeOf));
      if (ignored.length > 0)
        checked.problems.push(`${ignored.length} edges have an end that is not there`);
    }
    if (index.size !== checked.nodes) {
      checked.problems.push(
        `the index has ${index.size} memories, and the database ${checked.nodes}`,
      );
    }
  } finally {
    index.free();
  }
}
