// A process of its own for a library in JavaScript, which fills its files or is measured on them.
// Arguments: its name, `fill` or `measure`, the folder of the data, its own folder, and for
// sqlite-vec the path of the extension. `measure` prints what was measured as JSON. Each library is
// loaded alone, so that no other one takes memory.

import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { tableOf } from "../token-tables.ts";
import { Data, DIMENSIONS, LIMIT, type Memory, vectorAt } from "./data.ts";
import { measure, type Opened } from "./measure.ts";

const [name, phase, dataFolder, folder, extension] = process.argv.slice(2) as string[];
const data = new Data(dataFolder!);
const { fresh, plan, added, asked } = data;
const { questions, memories } = plan;
const file = join(folder!, "index");

/** A library. */
interface Library {
  /** Fills its files in batches. */
  fill(): Promise<void>;
  open(): Opened | Promise<Opened>;
}

const LIBRARIES: Readonly<Record<string, () => Library | Promise<Library>>> = {
  "nous-wasm": nousWasm,
  fts5,
  minisearch: miniSearch,
  orama,
  "sqlite-vec": sqliteVec,
};

const library = await LIBRARIES[name!]!();
if (phase === "fill") await library.fill();
else console.log(JSON.stringify(await measure(data, () => library.open())));

/** Writes a whole file and syncs it. */
function keep(bytes: string | Uint8Array): void {
  const opened = openSync(file, "w");
  writeFileSync(opened, bytes);
  fsyncSync(opened);
  closeSync(opened);
}

/** Garbage does not count. */
function resident(): number {
  globalThis.gc!();
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024;
}

async function nousWasm(): Promise<Library> {
  const { Embedder, MemoryIndex } = await import("nous-wasm");
  const embedder = new Embedder(tableOf(DIMENSIONS));
  return {
    async fill() {
      const index = new MemoryIndex({ embedder });
      for await (const batch of data.memories()) index.upsert(batch);
      keep(index.snapshot());
    },
    open() {
      const index = MemoryIndex.restore(readFileSync(file), { embedder });
      return {
        ask: (question) => index.ask(questions[question]!, { limit: LIMIT }).length,
        write(place) {
          index.upsert([fresh[place]!]);
          keep(index.snapshot());
        },
        resident,
        close: () => index.free(),
      };
    },
  };
}

/** Opens an SQLite file, in which a commit waits for the disk. */
function database(allowExtension = false): DatabaseSync {
  const db = new DatabaseSync(file, { allowExtension });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  if (allowExtension) db.loadExtension(extension!);
  return db;
}

/** Inserts all memories in one transaction. */
async function insertAll(
  db: DatabaseSync,
  run: (memory: Memory, place: number) => unknown,
): Promise<void> {
  let place = 0;
  db.exec("BEGIN");
  for await (const batch of data.memories()) for (const one of batch) run(one, place++);
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

function fts5(): Library {
  const INSERT = "INSERT INTO memories VALUES (?, ?, ?)";
  const queries = questions.map((question) =>
    question
      .match(/\w+/g)!
      .map((word) => `"${word}"`)
      .join(" OR "),
  );
  return {
    async fill() {
      const db = database();
      db.exec(
        'CREATE VIRTUAL TABLE memories USING fts5(id UNINDEXED, title, text, tokenize = "porter unicode61")',
      );
      const statement = db.prepare(INSERT);
      await insertAll(db, ({ id, title, text }) => statement.run(id, title, text));
    },
    open() {
      const db = database();
      const find = db.prepare(
        `SELECT id FROM memories WHERE memories MATCH ? ORDER BY rank LIMIT ${LIMIT}`,
      );
      const statement = db.prepare(INSERT);
      return {
        ask: (question) => find.all(queries[question]!).length,
        write(place) {
          const { id, title, text } = fresh[place]!;
          statement.run(id, title, text);
        },
        resident,
        close: () => db.close(),
      };
    },
  };
}

function sqliteVec(): Library {
  const INSERT = "INSERT INTO memories(rowid, embedding, title, text) VALUES (?, ?, ?, ?)";
  return {
    async fill() {
      const vectors = data.vectors();
      const db = database(true);
      db.exec(
        `CREATE VIRTUAL TABLE memories USING vec0(embedding float[${DIMENSIONS}] distance_metric=cosine, +title text, +text text)`,
      );
      const statement = db.prepare(INSERT);
      await insertAll(db, ({ title, text }, place) =>
        statement.run(BigInt(place), vectorAt(vectors, place), title, text),
      );
    },
    open() {
      const db = database(true);
      const find = db.prepare(
        "SELECT rowid FROM memories WHERE embedding MATCH ? AND k = ? ORDER BY distance",
      );
      const statement = db.prepare(INSERT);
      return {
        ask: (question) =>
          find.all(vectorAt(asked, question), LIMIT).map(({ rowid }) => Number(rowid)),
        write(place) {
          const { title, text } = fresh[place]!;
          statement.run(BigInt(memories + place), vectorAt(added, place), title, text);
        },
        resident,
        close: () => db.close(),
      };
    },
  };
}

async function miniSearch(): Promise<Library> {
  const { default: MiniSearch } = await import("minisearch");
  const options = { fields: ["title", "text"] };
  return {
    async fill() {
      const index = new MiniSearch<Memory>(options);
      for await (const batch of data.memories()) index.addAll(batch);
      keep(JSON.stringify(index));
    },
    open() {
      const index = MiniSearch.loadJSON<Memory>(readFileSync(file, "utf8"), options);
      return {
        ask: (question) => index.search(questions[question]!).slice(0, LIMIT).length,
        write(place) {
          index.add(fresh[place]!);
          keep(JSON.stringify(index));
        },
        resident,
        close: () => {},
      };
    },
  };
}

async function orama(): Promise<Library> {
  const { create, insert, insertMultiple, load, save, search } = await import("@orama/orama");
  const make = () =>
    create({ schema: { title: "string", text: "string" } as const, sort: { enabled: false } });
  const documentOf = ({ id, title, text }: Memory) => ({ id, title, text });
  return {
    async fill() {
      const index = make();
      for await (const batch of data.memories())
        await insertMultiple(index, batch.map(documentOf), batch.length);
      keep(JSON.stringify(save(index)));
    },
    open() {
      const index = make();
      load(index, JSON.parse(readFileSync(file, "utf8")));
      return {
        async ask(question) {
          const { hits } = await search(index, { term: questions[question]!, limit: LIMIT });
          return hits.length;
        },
        async write(place) {
          await insert(index, documentOf(fresh[place]!));
          keep(JSON.stringify(save(index)));
        },
        resident,
        close: () => {},
      };
    },
  };
}
