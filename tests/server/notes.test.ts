// Markdown: memories as notes that a person edits, and notes whose memories follow them.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { GENERAL, toIso } from "nous-memory";
import { type Note, nameOfNote, readMarkdownFile, readNote, writeNote } from "nous-memory/moving";
import { describe, expect, test, vi } from "vitest";
import type { NodeRow } from "../../js/server/src/storage/rows.ts";
import type { Storage } from "../../js/server/src/storage/storage.ts";
import { exportNotes } from "../../js/server/src/transfer/moving/export-notes.ts";
import { filesIn } from "../../js/server/src/transfer/moving/files.ts";
import {
  type NoteFile,
  type NotePolicy,
  NoteSync,
  withoutFile,
} from "../../js/server/src/transfer/moving/notes.ts";
import { runs } from "../support/amount.ts";
import { directStores } from "./support/direct-store.ts";
import { nodeOf } from "./support/stored-node.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const newStore = directStores();
const NOW = Date.parse("2026-04-01T00:00:00Z");
const DAY = 86_400_000;

const NOTE: Note = {
  ...{ id: "n1", title: "Mira eats no dairy", body: null, type: "preference", tags: [] },
  ...{ created: "2026-01-02T03:04:05.000Z", links: [], summary: null, modified: null },
  ...{ event: null, expires: null, user: null, session: null, source: null, metadata: undefined },
};

describe("a note", () => {
  test("is what a person reads", () => {
    const links = [{ type: "supersedes", name: "Mira drinks milk" }];
    const text = writeNote({ ...NOTE, tags: ["food", "a, b"], links, user: "mira" });
    expect(text).toBe(`---
id: n1
type: preference
tags: [food, "a, b"]
created: "2026-01-02T03:04:05.000Z"
user: mira
---
Mira eats no dairy

## Relations

- supersedes [[Mira drinks milk]]
`);
    // Without a title of its own, an edited text is the title, too.
    expect(readNote(text.replace("no dairy\n", "dairy again\n"))).toMatchObject({
      ...{ id: "n1", title: "Mira eats dairy again", body: null, tags: ["food", "a, b"], links },
    });
  });

  // Lone halves of pairs of surrogates are no UTF-8, and a file has none.
  const text = fc.string({ unit: "grapheme", maxLength: 80 });
  const lines = fc
    .array(
      fc.oneof(
        text,
        fc.constantFrom(
          "",
          "---",
          "## Relations",
          "- is [[x]]",
          "- [a] b",
          "id: x",
          " ",
          "\t",
          "\r",
        ),
        fc.constantFrom("# Heading", "```", "title: x", "\u2028", "- relates_to [[a|b]] (why)"),
      ),
      { maxLength: 6 },
    )
    .map((all) => all.join("\n"));
  const some = fc.option(text, { nil: null });
  const name = fc.stringMatching(/^[A-Za-zÀ-ž0-9]([A-Za-zÀ-ž0-9 .,()'-]{0,20}[A-Za-zÀ-ž0-9])?$/);
  const note = fc.record({
    id: fc.stringMatching(/^[!-~]{1,40}$/),
    title: lines,
    body: fc.option(lines, { nil: null }),
    type: fc.oneof(fc.constantFrom("fact", "custom:lesson", "null", "true", "12"), name),
    subtype: fc.option(fc.option(name, { nil: null }), { nil: undefined }),
    tags: fc.array(
      fc.oneof(
        name,
        text.filter((tag) => tag.trim() === tag && tag !== ""),
      ),
      {
        maxLength: 4,
      },
    ),
    ...{ summary: some, user: some, session: some, source: some },
    ...{ created: some, modified: some, event: some, expires: some },
    metadata: fc.option(fc.dictionary(text, fc.jsonValue(), { minKeys: 1 }), { nil: undefined }),
    links: fc.array(fc.record({ type: name, name }), { maxLength: 3 }),
  });
  /** The form in which an empty text is none. */
  const normal = ({ title, body, subtype, metadata, ...fields }: Note) => ({
    ...Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value || null])),
    words: [title, body === title ? null : body || null],
    ...(subtype === undefined ? {} : { subtype: subtype || null }),
    metadata: metadata === undefined ? undefined : JSON.parse(JSON.stringify(metadata)),
  });

  // With expressions that go back, the first of these takes 25 seconds.
  test("with long runs of the same characters is read as any other", () => {
    const line = `-${" ".repeat(2_000)}b`;
    const file = { name: "a.md", modified: NOW };
    const read = (text: string) => readMarkdownFile(file, text, "basic-memory");
    expect(read(line).links).toEqual([]);
    const relation = (text: string) => read(text).links.map(({ type, name }) => [type, name]);
    expect(relation(`- "a [b" [[x|y]] (why)${" ".repeat(2_000)}`)).toEqual([["a [b", "x"]]);
    expect(relation("-  [[x]]")).toEqual([["relates_to", "x"]]);
    const links = (text: string) =>
      readNote(`---\nid: x\n---\na\n\n## Relations\n\n${text}`)?.links;
    expect(links(`- a [[b]] c${" [[".repeat(20_000)}d]]`)).toHaveLength(1);
    expect(links("- a [[b]] c [[d]] (e)\n")).toEqual([{ type: "a [[b]] c", name: "d" }]);
  });

  test("that was written is read as the same note", () => {
    fc.assert(
      fc.property(note, (given) => {
        expect(normal(readNote(writeNote(given))!)).toEqual(normal(given));
      }),
      runs(2_000),
    );
  });

  test("is the same with the line ends of Windows", () => {
    const given = { ...NOTE, body: "One.\n\nTwo.", links: [{ type: "is", name: "x" }] };
    const windows = `\ufeff${writeNote(given).replaceAll("\n", "\r\n")}`;
    expect(normal(readNote(windows)!)).toEqual(normal(given));
  });

  test("has a file name that every disk takes", () => {
    const named = (title: string) => nameOfNote({ title, body: "Its body" });
    expect(named('a/b: "c" [d]')).toBe("a b c d");
    expect(named("..hidden")).toBe("hidden");
    expect(named("CON")).toBe("CON note");
    expect(named("")).toBe("Its body");
    expect(named("日本".repeat(60)).length).toBeLessThanOrEqual(40);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (title) => {
        const given = nameOfNote({ title, body: null });
        expect(JSON.stringify(given)).not.toMatch(/\\u00[01]/);
        expect(given).toMatch(/^[^\\/:*?"<>|#^[\].~\s](?:[^\\/:*?"<>|#^[\]]*[^.~\s])?$/);
        expect(Buffer.byteLength(given)).toBeLessThanOrEqual(125);
      }),
      runs(500),
    );
  });
});

/** Files of a folder in memory, and the store that follows them. */
async function notes(options: { followsIds?: boolean; format?: "markdown" | "basic-memory" } = {}) {
  const storage = (await newStore()).open();
  const { followsIds = true, format = "markdown" } = options;
  const open = () =>
    new NoteSync(storage, { folder: "vault", format, preset: GENERAL, followsIds });
  let sync = open();
  let clock = NOW;
  const all = () => nodesIn(storage);
  return {
    storage,
    all,
    /** Follows files by their paths; undefined is a file that is gone. */
    follow(
      files: Record<string, string | undefined>,
      { policy = "overwrite", at = 0 }: { policy?: NotePolicy; at?: number } = {},
    ) {
      clock += 1_000;
      const changed: NoteFile[] = [];
      const gone: string[] = [];
      for (const [path, text] of Object.entries(files))
        if (text === undefined) gone.push(path);
        else changed.push({ path, text, modified: clock + at });
      const { left, ...counts } = sync.sync(changed, gone, { now: clock, policy });
      return {
        counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
        left: left.map(({ why }) => why),
      };
    },
    again: () => {
      sync = open();
      return sync.paths();
    },
    texts: () => all().map(({ content_title, content_body }) => content_body ?? content_title),
    idOf: (text: string) => all().find((row) => textOf(row).includes(text))?.id,
    edges: () =>
      storage.edges.list().map(({ source_id, type, target_id }) => [source_id, type, target_id]),
  };
}

const textOf = ({ content_title, content_body }: NodeRow) => content_body ?? content_title;
const nodesIn = ({ nodes }: Storage): NodeRow[] =>
  nodes.list({}, 10_000).sort((a, b) => a.sequence - b.sequence);

const DOCUMENT = "# Garden\n\nSow beans in May.\n\n# Car\n\nThe brakes were changed in March.\n";

describe("a document", () => {
  test("becomes its parts, which follow it and keep their ids", async () => {
    const { follow, all, texts, idOf, storage } = await notes();
    expect(follow({ "a.md": DOCUMENT }).counts).toEqual({ added: 2 });
    const [garden, car] = all();
    expect(garden).toMatchObject({
      ...{ content_title: "Garden", content_body: "Sow beans in May.", provenance_source: "file" },
      metadata: '{"note_file":"vault/a.md"}',
    });
    // Its parts are a run.
    const [run] = storage.clusters.list();
    expect(storage.clusters.members(run!.id).map(({ node_id }) => node_id)).toEqual([
      garden!.id,
      car!.id,
    ]);
    expect(follow({ "a.md": DOCUMENT }).counts).toEqual({ same: 2 });
    const edited = DOCUMENT.replace("beans in May", "peas in April");
    expect(follow({ "a.md": edited }).counts).toEqual({ changed: 1, same: 1 });
    expect(idOf("peas in April")).toBe(garden!.id);
    expect(follow({ "a.md": `${edited}\n# Boat\n\nIt is red.\n` }).counts).toEqual({
      added: 1,
      same: 2,
    });
    expect(follow({ "a.md": "# Car\n\nThe brakes were changed in March.\n" }).counts).toEqual({
      ...{ gone: 2, same: 1 },
    });
    expect(idOf("brakes")).toBe(car!.id);
    expect(follow({ "a.md": undefined }).counts).toEqual({ gone: 1 });
    expect(texts()).toEqual([]);
    expect(storage.clusters.list()).toEqual([]);
  });

  test("that is moved keeps its memories, whatever is renamed with it", async () => {
    const { follow, all, again } = await notes();
    follow({ "a.md": DOCUMENT, "b.md": "The ferry leaves at nine.\n" });
    const ids = all().map(({ id }) => id);
    expect(follow({ "a.md": undefined, "sub/c.md": DOCUMENT }).counts).toEqual({
      moved: 1,
      same: 2,
    });
    expect(all().map(({ id }) => id)).toEqual(ids);
    expect(all()[0]!.metadata).toBe('{"note_file":"vault/sub/c.md"}');
    // Also while nobody watched.
    expect(again().sort()).toEqual(["b.md", "sub/c.md"]);
    const { counts } = follow({ "b.md": undefined, "d.md": "The ferry leaves at nine.\n" });
    expect(counts).toEqual({ moved: 1, same: 1 });
    expect(all().map(({ id }) => id)).toEqual(ids);
  });

  test("of which a folder holds many reads the rows of each once when all move", async () => {
    const { follow, storage } = await notes();
    const places = Array.from({ length: 40 }, (_, place) => place);
    const all = (name: string, isThere: boolean) =>
      Object.fromEntries(
        places.map((at) => [`${name}${at}.md`, isThere ? `Pier ${at} opens.` : undefined]),
      );
    follow(all("a", true));
    const read = vi.spyOn(storage.nodes, "of");
    const { counts } = follow({ ...all("a", false), ...all("b", true) });
    expect(counts).toEqual({ moved: 40, same: 40 });
    expect(read.mock.calls.length).toBeLessThan(5 * 40);
  });

  test("changes no memory of another folder, and none that no file names", async () => {
    const { follow, storage, texts } = await notes();
    const other = new NoteSync(storage, {
      ...{ folder: "other", format: "markdown", preset: GENERAL, followsIds: true },
    });
    const file = { path: "a.md", text: "Another folder.", modified: NOW };
    other.sync([file], [], { now: NOW, policy: "newer" });
    follow({ "a.md": "This folder." });
    expect(texts()).toEqual(["Another folder.", "This folder."]);
    follow({ "a.md": undefined });
    expect(texts()).toEqual(["Another folder."]);
  });

  test("does not undo a younger change of a memory, unless it was changed since", async () => {
    const { follow, all, storage } = await notes();
    follow({ "a.md": "The pier opens at nine." });
    const change = { content_title: "The pier opens at ten.", last_modified: toIso(NOW + DAY) };
    storage.nodes.update(all()[0]!.id, change);
    expect(follow({ "a.md": "The pier opens at nine." }, { policy: "newer" }).counts).toEqual({
      kept: 1,
    });
    expect(all()[0]!.content_title).toBe("The pier opens at ten.");
    const later = { policy: "newer", at: 2 * DAY } as const;
    expect(follow({ "a.md": "The pier opens at six." }, later).counts).toEqual({ changed: 1 });
    expect(follow({ "a.md": "The pier is closed." }, { policy: "skip" }).counts).toEqual({
      kept: 1,
    });
  });

  test("keeps a memory that was corrected since and is like no part any more", async () => {
    const { follow, storage, all, texts } = await notes();
    follow({ "a.md": DOCUMENT });
    const words = { content_title: "Mira", content_body: "She keeps bees." };
    storage.nodes.update(all()[0]!.id, { ...words, last_modified: toIso(NOW + DAY) });
    expect(follow({ "a.md": DOCUMENT }, { policy: "newer" }).counts).toEqual({ kept: 1, same: 1 });
    expect(texts()).toEqual(["She keeps bees.", "The brakes were changed in March."]);
    const car = "# Car\n\nThe brakes were changed in March.\n";
    for (const policy of ["newer", "skip"] as const)
      expect(follow({ "a.md": car }, { policy }).counts).toEqual({ kept: 1, same: 1 });
    const later = { policy: "newer", at: 2 * DAY } as const;
    expect(follow({ "a.md": car }, later).counts).toEqual({ gone: 1, same: 1 });
  });

  test("keeps the counters of a memory whose text changes, and drops its vector", async () => {
    const { follow, all, storage } = await notes();
    follow({ "a.md": "The pier opens at nine." });
    const vector = new Uint8Array(new Float32Array([1, 0]).buffer);
    const changes = { neural_access_count: 7, embedding_vector: vector, last_modified: toIso(NOW) };
    storage.nodes.update(all()[0]!.id, changes);
    follow({ "a.md": "The pier opens at ten." });
    expect(all()[0]).toMatchObject({
      content_title: "The pier opens at ten.",
      neural_access_count: 7,
    });
    const [indexed] = [...storage.nodes.indexed()].flat();
    expect(indexed!.embedding_vector).toBeNull();
  });

  test("takes type, tags and date of its front matter", async () => {
    const { follow, all } = await notes();
    follow({
      "a.md": "---\ntype: decision\ntags: [sea]\ndate: 2024-05-01\n---\nWe sail on Sundays.\n",
    });
    expect(all()[0]).toMatchObject({
      ...{ type: "decision", subtype: "decision", tags: '["sea"]' },
      created_at: "2024-05-01T00:00:00.000Z",
    });
  });
});

test("links to other notes are edges, which come and go with the words", async () => {
  const { follow, edges, idOf } = await notes();
  const { left } = follow({
    "a.md": "Tea needs a [[sub/Kettle|kettle]]. ![[photo.png]]",
    "c.md": "See [[nowhere]].",
  });
  expect(left).toEqual([
    "a link to a note that is not there",
    "a link to a note that is not there",
  ]);
  follow({ "sub/Kettle.md": "It holds a litre." });
  expect(edges()).toEqual([[idOf("Tea"), "links_to", idOf("litre")]]);
  follow({ "a.md": "Tea needs nothing." });
  expect(edges()).toEqual([]);
});

test("basic-memory's relations are edges between what notes say first", async () => {
  const { follow, edges, idOf } = await notes({ format: "basic-memory" });
  follow({
    "coffee.md": "---\ntitle: Coffee\n---\n- [method] Pour over\n\n- requires [[Grinding]]\n",
    "x/grinding.md": "---\ntitle: Grinding\n---\n- [tip] Coarse for the press\n",
  });
  expect(edges()).toEqual([[idOf("Pour over"), "requires", idOf("Coarse")]]);
});

describe("a note with an id", () => {
  const file = (text: string, id = "n1") => `---\nid: ${id}\ntype: preference\n---\n${text}\n`;

  test("changes the memory of the id, wherever it lies", async () => {
    const { follow, all, texts } = await notes();
    follow({ "a.md": file("Mira eats no dairy.") });
    expect(follow({ "a.md": file("Mira eats no dairy and no nuts.") }).counts).toEqual({
      changed: 1,
    });
    expect(all()).toMatchObject([{ id: "n1", type: "preference" }]);
    const moved = follow({ "a.md": undefined, "x/b.md": file("Mira eats everything.") });
    expect(moved.counts).toEqual({ changed: 1, moved: 1 });
    expect(texts()).toEqual(["Mira eats everything."]);
    // A copy is told, and changes nothing.
    const copied = follow({ "copy.md": file("A copy.") });
    expect(copied.left).toEqual([expect.stringContaining("has the id of x/b.md")]);
    expect(texts()).toEqual(["Mira eats everything."]);
    expect(follow({ "x/b.md": undefined }).counts).toEqual({ gone: 1 });
  });

  test("that is imported takes no id of another note or memory", async () => {
    const { follow, texts } = await notes({ followsIds: false });
    const { left } = follow({ "a.md": file("Mira sails."), "b.md": file("Bees swarm in May.") });
    expect(left).toEqual([expect.stringContaining("has the id of a.md")]);
    expect(texts()).toEqual(["Mira sails."]);
    expect(follow({ "a.md": file("Mira sails no more.") }).counts).toEqual({ changed: 1 });
  });

  test("that is imported alone keeps its links to notes that are not imported with it", async () => {
    const { storage, follow, edges } = await notes({ followsIds: false });
    const one = file("Mira sails.\n\n## Relations\n\n- causes [[b]]");
    follow({ "a.md": one, "b.md": file("Salt water.", "n2") });
    expect(edges()).toEqual([["n1", "causes", "n2"]]);
    const options = { folder: "vault", format: "markdown", preset: GENERAL, followsIds: false };
    const alone = (text: string) =>
      new NoteSync(storage, options as never).sync([{ path: "a.md", text, modified: NOW }], [], {
        ...{ now: NOW, policy: "overwrite" },
      });
    alone(one);
    expect(edges()).toEqual([["n1", "causes", "n2"]]);
    alone(file("Mira sails."));
    expect(edges()).toEqual([]);
  });

  test("that says nothing of the memory of its id changes none", async () => {
    const { follow, storage, texts, all } = await notes({ followsIds: false });
    follow({ "a.md": "The pier opens at nine." });
    const { id } = all()[0]!;
    expect(follow({ "b.md": file("Bees swarm.", id) }).left).toHaveLength(1);
    storage.nodes.update(id, { metadata: null, last_modified: "2026-11-01T00:00:00Z" });
    expect(follow({ "c.md": file("Bees swarm.", id) }).left).toEqual([
      expect.stringContaining("says something else"),
    ]);
    expect(texts()).toEqual(["The pier opens at nine."]);
  });

  test("that is imported once leaves its memory when its file goes", async () => {
    const { follow, texts, all } = await notes({ followsIds: false });
    follow({ "a.md": file("Mira sails.") });
    expect(all()[0]!.metadata).toBeNull();
    follow({ "a.md": undefined });
    expect(texts()).toEqual(["Mira sails."]);
  });
});

test("a call that only tells stores nothing, and a failed one is undone as a whole", async () => {
  const { storage, texts } = await notes();
  const open = () =>
    new NoteSync(storage, {
      folder: "vault",
      format: "markdown",
      preset: GENERAL,
      followsIds: true,
    });
  const files = [{ path: "a.md", text: DOCUMENT, modified: NOW }];
  const told = open().sync(files, [], { now: NOW, policy: "newer", writes: false });
  expect(told.added).toBe(2);
  expect(texts()).toEqual([]);
  vi.spyOn(storage.edges, "ofAll").mockImplementationOnce(() => expect.fail("broken"));
  const sync = open();
  expect(() => sync.sync(files, [], { now: NOW, policy: "newer" })).toThrow("broken");
  expect(texts()).toEqual([]);
});

describe("an export to Markdown", () => {
  const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
  const lines = fc.array(words, { minLength: 1, maxLength: 4 }).map((all) => all.join("\n"));
  const day = fc.integer({ min: 1e12, max: NOW - 1 }).map(toIso);
  const memory = fc.record({
    title: words,
    body: fc.option(lines, { nil: null }),
    type: fc.constantFrom("fact", "preference", "event", "note", "custom:lesson"),
    tags: fc.uniqueArray(
      fc.stringMatching(/^[\p{L}\d][\p{L}\d ,'"#:-]{0,10}$/u).map((tag) => tag.trim()),
      {
        maxLength: 3,
      },
    ),
    created: day,
    event: fc.option(day, { nil: null }),
    user: fc.option(fc.stringMatching(/^\w{1,8}$/), { nil: null }),
    metadata: fc.option(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue(), { minKeys: 1 }),
      {
        nil: null,
      },
    ),
  });

  function fill(
    storage: Storage,
    memories: readonly (typeof memory extends fc.Arbitrary<infer T> ? T : never)[],
  ) {
    storage.transaction(() => {
      for (const [place, one] of memories.entries()) {
        const node = nodeOf(`n_${place}`, {
          ...{ type: one.type, subtype: one.type === "note" ? null : one.type },
          ...{ content_title: one.title, content_body: one.body, created_at: one.created },
          ...{ provenance_created_at: one.created, last_modified: one.created, user_id: one.user },
          tags: one.tags.length === 0 ? null : JSON.stringify(one.tags),
          metadata: one.metadata === null ? null : JSON.stringify(one.metadata),
          temporal_event_time: one.event,
        });
        storage.nodes.insert(node);
        if (place > 0)
          storage.edges.insert({
            ...{ id: `e_${place}`, type: place % 2 === 0 ? "supersedes" : "causes", subtype: null },
            ...{ source_id: `n_${place}`, target_id: `n_${(place * 7) % place}` },
            ...{ neural_weight: null, strength: null, confidence: null, created_at: one.created },
          });
      }
    });
  }
  const told = (storage: Storage) =>
    nodesIn(storage).map((row) => ({
      id: row.id,
      words: [row.content_title, row.content_body || null],
      ...{ type: row.type, subtype: row.subtype, tags: row.tags, created: row.created_at },
      ...{ event: row.temporal_event_time, user: row.user_id, source: row.provenance_source },
      metadata: withoutFile(row.metadata),
      links: storage.edges
        .of(row.id, "out")
        .map(({ type, target_id }) => `${type} ${target_id}`)
        .sort(),
    }));
  const read = (folder: string): NoteFile[] =>
    filesIn(folder, /\.md$/).map((path) => {
      return { path, text: readFileSync(join(folder, path), "utf8"), modified: Date.now() };
    });
  const taken = (storage: Storage, folder: string) =>
    new NoteSync(storage, {
      folder: "vault",
      format: "markdown",
      preset: GENERAL,
      followsIds: false,
    }).sync(read(folder), [], { now: Date.now(), policy: "newer" });

  test("and an import of it give the same memories", async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(fc.array(memory, { minLength: 1, maxLength: 8 }), async (memories) => {
        const [from, to] = [(await newStore()).open(), (await newStore()).open()];
        fill(from, memories);
        const out = mkdtempSync(join(folder, "out-"));
        const options = { preset: GENERAL, dataDir: join(folder, "data") };
        expect(exportNotes(from, out, options)).toEqual({ files: memories.length, others: 0 });
        const { added, links } = taken(to, out);
        expect(added).toBe(memories.length);
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        expect(told(to).sort(byId)).toEqual(told(from).sort(byId));
        expect(links).toBe(from.edges.list().length);
        // Where the memories are, nothing changes.
        expect(taken(from, out)).toMatchObject({
          same: memories.length,
          added: 0,
          changed: 0,
          links: 0,
        });
        from.close();
        to.close();
        rmSync(out, { recursive: true });
      }),
      runs(20),
    );
  });

  test("writes over its own notes, and leaves others", async () => {
    const folder = temporaryFolder();
    const storage = (await newStore()).open();
    const options = { preset: GENERAL, dataDir: join(folder, "data") };
    const one = {
      type: "fact",
      body: null,
      tags: [],
      event: null,
      user: null,
      metadata: null,
    } as const;
    const created = toIso(NOW - DAY);
    fill(storage, [
      { ...one, title: "Tea", created, tags: [] },
      { ...one, title: "tea", created, tags: [] },
    ]);
    const out = join(folder, "vault");
    exportNotes(storage, out, options);
    expect(filesIn(out, /./)).toEqual(["fact/Tea.md", "fact/tea 2.md"]);
    expect(() => exportNotes(storage, out, options)).toThrow(/holds files/);
    // The visitor moves one, and adds another.
    mkdirSync(join(out, "drinks"));
    writeFileSync(join(out, "drinks", "mine.md"), readFileSync(join(out, "fact/Tea.md")));
    rmSync(join(out, "fact/Tea.md"));
    writeFileSync(join(out, "own.md"), "---\nid: mine\n---\nMy own.\n");
    storage.nodes.update("n_0", { content_title: "Green tea", last_modified: toIso(NOW) });
    expect(exportNotes(storage, out, { ...options, force: true })).toEqual({ files: 2, others: 1 });
    expect(filesIn(out, /./)).toEqual(["drinks/mine.md", "fact/tea 2.md", "own.md"]);
    expect(readFileSync(join(out, "drinks", "mine.md"), "utf8")).toContain("Green tea");
    expect(readdirSync(join(out, "fact"))).toEqual(["tea 2.md"]);
    const within = join(options.dataDir, "agents");
    mkdirSync(within, { recursive: true });
    expect(() => exportNotes(storage, join(within, "notes"), options)).toThrow(/data directory/);
  });
});
