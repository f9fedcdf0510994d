// The readers of files: each makes rows of an export out of a text.

import { readFileSync } from "node:fs";
import { zipSync } from "fflate";
import { Embedder, init } from "nous-wasm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readFiles } from "../../../js/page/src/memory/files.ts";
import { Held } from "../../../js/page/src/memory/held.ts";
import { addLine, addRow, exportLines, noRows } from "../../../js/page/src/memory/lines.ts";
import { readChatgpt } from "../../../js/page/src/memory/readers/chatgpt.ts";
import { readClaude } from "../../../js/page/src/memory/readers/claude.ts";
import { readDocument } from "../../../js/page/src/memory/readers/document.ts";
import { kindOf, readWhole } from "../../../js/page/src/memory/readers/kinds.ts";
import type { Reading } from "../../../js/page/src/memory/readers/reading.ts";
import { metricsIn, Server } from "../../../js/page/src/memory/server.ts";
import { makeRandom } from "../../../js/reference/random.ts";
import { GENERAL_SUBTYPES } from "../../../js/sample/general/subtypes.ts";
import { readExportLine } from "../../server/support/export-lines.ts";
import { SEED } from "../../support/amount.ts";

const MODIFIED = Date.parse("2026-03-01T10:00:00Z");
const FILE = { modified: MODIFIED };
const nodesOf = ({ rows }: Reading) => rows.filter(({ kind }) => kind === "node");
const bytes = (text: string) => new TextEncoder().encode(text);

/** A message of ChatGPT's tree. */
const message = (id: string, parent: string | null, role: string, text: string, at?: number) => ({
  [id]: {
    id,
    parent,
    children: [],
    message: {
      id,
      author: { role },
      create_time: at ?? null,
      content: { content_type: "text", parts: [text] },
    },
  },
});

const CHATGPT = [
  {
    conversation_id: "talk",
    title: "Oat milk",
    create_time: 1_770_000_000,
    current_node: "d",
    mapping: {
      root: { id: "root", parent: null, message: null, children: ["s"] },
      ...message("s", "root", "system", "Be kind."),
      ...message("a", "s", "user", "Which oat milk foams?", 1_770_000_001.5),
      ...message("b", "a", "assistant", "An older branch.", 1_770_000_002),
      ...message("c", "a", "assistant", "The barista one.", 1_770_000_003),
      ...message("d", "c", "user", "Thanks"),
    },
  },
  { title: "broken" },
];

const CLAUDE = [
  {
    uuid: "chat",
    name: "Trip",
    created_at: "2026-02-03T08:00:00Z",
    chat_messages: [
      { uuid: "m1", sender: "human", text: "Where to?", created_at: "2026-02-03T08:00:01Z" },
      {
        uuid: "m2",
        sender: "assistant",
        text: "Oban, by train.",
        content: [{ type: "text", text: "Oban, by train." }, { type: "tool_use" }],
        created_at: "2026-02-03T08:00:09Z",
        attachments: [{ file_name: "times.txt", extracted_content: "10:34 Glasgow" }],
      },
      { uuid: "m3", sender: "human", text: "" },
    ],
  },
  { uuid: "no time", chat_messages: [] },
];

describe("a ChatGPT export", () => {
  test("becomes turns of the branch that was shown last, in order", () => {
    const reading = readChatgpt(FILE, CHATGPT);
    expect(nodesOf(reading).map(({ id, content_body }) => [id, content_body])).toEqual([
      ["a", "Which oat milk foams?"],
      ["c", "The barista one."],
      ["d", "Thanks"],
    ]);
    expect(nodesOf(reading)[0]).toMatchObject({
      subtype: "custom:turn",
      created_at: "2026-02-02T02:40:01.500Z",
      provenance_source: "chatgpt:user",
    });
    // A message without a time takes that of the one before it.
    expect(nodesOf(reading)[2]).toMatchObject({ created_at: "2026-02-02T02:40:03.000Z" });
    expect(reading.rows[0]).toMatchObject({ kind: "cluster", id: "talk", name: "Oat milk" });
    expect(reading.rows.filter(({ kind }) => kind === "membership")).toHaveLength(3);
    expect(reading.wrong).toEqual([
      { line: 2, why: "is a conversation without messages (mapping)" },
    ]);
  });

  test("without a last message, follows the latest one, and survives a circle", () => {
    const { current_node: _, ...talk } = CHATGPT[0]!;
    expect(nodesOf(readChatgpt(FILE, [talk])).at(-1)).toMatchObject({ id: "c" });
    const circle = {
      ...message("a", "b", "user", "one", 2),
      ...message("b", "a", "user", "two", 1),
    };
    expect(nodesOf(readChatgpt(FILE, [{ create_time: 1, mapping: circle }]))).toHaveLength(2);
  });
});

test("a Claude export becomes turns, with the texts of attachments", () => {
  const reading = readClaude(FILE, CLAUDE);
  expect(nodesOf(reading).map(({ content_body }) => content_body)).toEqual([
    "Where to?",
    "Oban, by train.\n\n10:34 Glasgow",
  ]);
  expect(reading.rows[0]).toMatchObject({ kind: "cluster", id: "chat", name: "Trip" });
  expect(reading.wrong).toEqual([]);
});

describe("a conversation", () => {
  const chatgpt = (conversation: object) => nodesOf(readChatgpt(FILE, [conversation]));
  const turn = (over: object) => ({
    mapping: {
      a: { id: "a", parent: null, message: { id: "a", author: { role: "assistant" }, ...over } },
    },
  });
  const said = (text: string, over: object = {}) =>
    turn({ create_time: 1_770_000_000, content: { content_type: "text", parts: [text] }, ...over });

  test("takes the time of its first message, else of the file, if it has none itself", () => {
    const at = (conversation: object) => chatgpt(conversation)[0]!.created_at;
    expect(at({ ...said("Hello."), create_time: null, update_time: null })).toBe(
      "2026-02-02T02:40:00.000Z",
    );
    expect(at(said("Hello.", { create_time: null }))).toBe("2026-03-01T10:00:00.000Z");
    const message = { uuid: "m", sender: "human", text: "Hello." };
    const claude = (over: object) =>
      nodesOf(readClaude(FILE, [{ uuid: "c", chat_messages: [{ ...message, ...over }] }]))[0]!;
    expect(claude({ created_at: "2025-05-05T05:05:05Z" }).created_at).toBe(
      "2025-05-05T05:05:05.000Z",
    );
    expect(claude({}).created_at).toBe("2026-03-01T10:00:00.000Z");
  });

  test("may have its times in seconds, in milliseconds or as texts", () => {
    const forms = [1_770_000_000, 1_770_000_000_000, "2026-02-02T02:40:00Z"];
    for (const form of forms)
      expect(chatgpt(said("Hello.", { create_time: form }))[0]!.created_at, String(form)).toBe(
        "2026-02-02T02:40:00.000Z",
      );
    // Nothing else is a time.
    for (const none of [0, -1, Number.NaN, 1e300, "soon", true])
      expect(chatgpt(said("Hello.", { create_time: none }))[0]!.created_at, String(none)).toBe(
        "2026-03-01T10:00:00.000Z",
      );
  });

  test("has no messages to tools", () => {
    expect(chatgpt(said("Hello.", { recipient: "all" }))).toHaveLength(1);
    for (const recipient of ["python", "bio", "web.run"])
      expect(chatgpt(said('{"query": "tides"}', { recipient }))).toEqual([]);
  });

  test.each([
    ["It opens at ten \ue200cite\ue202turn2view0\ue202turn3news1\ue201.", "It opens at ten."],
    ["\ue200filecite\ue202turn0file3\ue201 It opens.", "It opens."],
    ["It opens \ue200navlist\ue202Hours\ue202turn1search4\ue201 at ten.", "It opens at ten."],
    [
      'Ask \ue200entity\ue202["people","Ada Byron","who wrote it"]\ue201 first.',
      "Ask Ada Byron first.",
    ],
    ["See \ue200url\ue202the timetable\ue202https://example.org\ue201.", "See the timetable."],
    ["It opens at ten【4:0†hours.pdf】, daily【7†source】.", "It opens at ten, daily."],
    [
      "A \ue203marked passage\ue204 stays, and an open mark \ue200cite",
      "A marked passage stays, and an open mark cite",
    ],
    ["【Note】 stays, and † too.", "【Note】 stays, and † too."],
  ])("loses the marks that the web page replaces: %j", (text, left) => {
    expect(chatgpt(said(text)).map(({ content_body }) => content_body)).toEqual([left]);
  });
});

test("conversations are read as lines of JSON, and beside entries that are none", () => {
  const read = (text: string) => readWhole("json", { name: "x", text, modified: MODIFIED });
  const [talk] = CHATGPT;
  const other = { ...talk, conversation_id: "other" };
  const lines = read(`${JSON.stringify(talk)}\r\n\n${JSON.stringify(other)}\n{"mapping": {`);
  expect(nodesOf(lines)).toHaveLength(6);
  expect(lines.wrong).toEqual([{ line: 4, why: "is not JSON" }]);
  const beside = JSON.stringify([null, null, talk]);
  expect(kindOf(bytes(beside))).toBe("json");
  expect(nodesOf(read(beside))).toHaveLength(3);
  expect(read(beside).wrong.map(({ line }) => line)).toEqual([1, 2]);
});

test("the file of the MCP server for memory becomes a run for each entity", () => {
  const entities = [
    {
      type: "entity",
      name: "Ada",
      entityType: "person",
      observations: ["Lives in Turku", "Sails"],
    },
    { type: "entity", name: "The Boat", entityType: "thing", observations: [] },
  ];
  const relations = [{ type: "relation", from: "Ada", to: "The Boat", relationType: "co_owns" }];
  const lines = [...entities, ...relations].map((part) => JSON.stringify(part)).join("\n");
  const answer = JSON.stringify({ entities, relations });
  for (const text of [lines, answer]) {
    expect(kindOf(bytes(text))).toBe("json");
    const { rows } = readWhole("json", { name: "memory.json", text, modified: MODIFIED });
    expect(
      nodesOf({ rows, wrong: [] }).map((node) => [node.content_title, node.content_body]),
    ).toEqual([
      ["Ada (person)", "Lives in Turku"],
      ["Ada (person)", "Sails"],
      ["Ada (person)", "Ada co owns The Boat"],
      ["The Boat (thing)", ""],
    ]);
    for (const row of rows) expect(() => readExportLine(JSON.stringify(row))).not.toThrow();
  }
});

describe("a file", () => {
  const read = async (...files: File[]) => {
    const rows = noRows();
    const wrong: string[] = [];
    await readFiles(rows, files, { wrong: ({ why }) => wrong.push(why), progress: () => {} });
    return { nodes: [...rows.nodes.values()], wrong };
  };
  const encoded = {
    "UTF-8": bytes("The café in Łódź opens."),
    "UTF-8 with a mark": bytes("\ufeffThe café in Łódź opens."),
    "UTF-16": Uint8Array.from(Buffer.from("\ufeffThe café in Łódź opens.", "utf16le")),
    "UTF-16, the other way": Uint8Array.from(
      Buffer.from("\ufeffThe café in Łódź opens.", "utf16le").swap16(),
    ),
  };
  test.each(Object.entries(encoded))("in %s is read", async (_, content) => {
    const { nodes } = await read(new File([content], "a.txt"));
    expect(nodes.map(({ content_body }) => content_body)).toEqual(["The café in Łódź opens."]);
  });

  test("in Windows-1252 is read, and a damaged character does not make UTF-8 that", async () => {
    const old = Uint8Array.from(Buffer.from("Der Kaffee kostet 3 \x80, \x84süß\x93.", "latin1"));
    expect((await read(new File([old], "a.txt"))).nodes[0]!.content_body).toBe(
      "Der Kaffee kostet 3 €, „süß“.",
    );
    const damaged = new File(
      [bytes("süß, ölig"), new Uint8Array([0xff]), bytes(" und mürb")],
      "b.txt",
    );
    expect((await read(damaged)).nodes[0]!.content_body).toBe("süß, ölig\ufffd und mürb");
  });

  test("of bytes by chance is no text", async () => {
    const random = makeRandom(SEED);
    const noise = (bytes: number) => Uint8Array.from({ length: bytes }, () => random() * 256);
    for (const content of [new Uint8Array(500).fill(0xff), noise(500), noise(70_000)])
      expect((await read(new File([content], "photo.jpg"))).wrong).toEqual([
        expect.stringMatching(/^This is no text/),
      ]);
  });

  test("of lines may be in UTF-16", async () => {
    const line = '\ufeff{"kind":"node","id":"n","type":"note","content_title":"Łódź"}\n';
    const file = new File([Uint8Array.from(Buffer.from(line, "utf16le"))], "a.jsonl");
    expect((await read(file)).nodes[0]!.content_title).toBe("Łódź");
  });

  test("within an archive keeps its own time", async () => {
    const mtime = new Date(2024, 4, 1, 12, 30, 8);
    const files = {
      "notes/über.md": bytes("The ferry leaves at nine."),
      "b.txt": bytes("Low tide."),
    };
    const zip = zipSync({
      "notes/über.md": [files["notes/über.md"], { mtime }],
      "b.txt": [files["b.txt"], { mtime: new Date(2023, 0, 2) }],
    }) as Uint8Array<ArrayBuffer>;
    const { nodes } = await read(new File([zip], "a.zip", { lastModified: MODIFIED }));
    expect(nodes.map(({ created_at }) => Date.parse(created_at!))).toEqual([
      mtime.getTime(),
      new Date(2023, 0, 2).getTime(),
    ]);
  });

  test("that would fill memory when it is unpacked is refused", async () => {
    const zip = zipSync({ "a.txt": bytes("x".repeat(1_000)) });
    // The directory and the entry claim a gigabyte.
    const view = new DataView(zip.buffer);
    const directory = zip.findLastIndex(
      (_, at) => at + 4 < zip.length && view.getUint32(at, true) === 0x02014b50,
    );
    view.setUint32(directory + 24, 2 ** 30, true);
    const file = new File([zip as Uint8Array<ArrayBuffer>], "a.zip");
    expect(await read(file)).toEqual({
      nodes: [],
      wrong: [expect.stringMatching(/more than 512 MB/)],
    });
  });
});

describe("a document", () => {
  const read = (text: string) =>
    nodesOf(readDocument({ name: "notes.md", text, modified: MODIFIED }));
  const parts = (text: string) =>
    read(text).map(({ content_title, content_body }) => [content_title, content_body]);

  test("is split at headings, whose path is the title", () => {
    expect(
      parts("Before.\n\n# Garden\nSow in *May*.\n## **Beans** ##\nFour rows.\n# Car\n"),
    ).toEqual([
      ["", "Before."],
      ["Garden", "Sow in *May*."],
      ["Garden › Beans", "Four rows."],
      ["Car", ""],
    ]);
    expect(parts("Top\n===\nOne.\n\n```sh\n# no heading\n```\n\nSub\n---\nTwo.")).toEqual([
      ["Top", "One.\n\n```sh\n# no heading\n```"],
      ["Top › Sub", "Two."],
    ]);
  });

  test("has the tags and the date of its front matter, whose text is kept", () => {
    const front = "---\ntags: [knots, rope]\ndate: 2024-05-01\nsource: the harbour\n---\n";
    const [first, second] = read(`${front}\n# Bowline\n\nIt holds.\n\n# Hitch\n\nIt slips.\n`);
    for (const node of [first, second])
      expect(node).toMatchObject({
        tags: ["knots", "rope"],
        created_at: "2024-05-01T00:00:00.000Z",
      });
    expect(first!.content_body).toContain("source: the harbour");
    expect(first!.content_body).toContain("It holds.");
    // Two rules with a text between them are no front matter.
    const rules = parts("---\n\nThe pier opens.\n\n---\n\nThe boat leaves.\n");
    expect(rules.flat().join(" ")).toMatch(/The pier opens\.[\s\S]*The boat leaves\./);
  });

  test("of text becomes memories of a sensible size, and no word is lost", () => {
    const sentence = "The ferry to the island leaves at eight, and returns at six. ";
    const text = `Short.\n\nAlso short.\n \n${sentence.repeat(60).trim()}\n\nEnd.`;
    const found = parts(text).map(([, body]) => String(body));
    expect(found.length).toBeGreaterThan(4);
    expect(found[0]).toMatch(/^Short\.\n\nAlso short\./);
    const words = (of: string) => of.split(/\s+/).join(" ");
    expect(words(found.join(" "))).toBe(words(text));
    expect(read(text)[0]).toMatchObject({ id: "notes.md:1", subtype: "custom:note" });
  });
});

describe("the kind of a file", () => {
  test.each([
    ['{"kind":"agent","preset":"general"}\n{"kind":"node"', "lines"],
    ['oops\n{"kind":"cluster","id":"c"}', "lines"],
    [JSON.stringify(CHATGPT), "json"],
    ['{"mapping":{}}', "json"],
    ["PK\u0003\u0004", "zip"],
    ["# Title\ntext", "document"],
    ["plain words [1]", "document"],
    ["[1] a note", "document"],
  ])("of %j is found by its content", (text, kind) => {
    expect(kindOf(bytes(text))).toBe(kind);
  });

  test.each([
    ["", /empty/],
    ["  \n", /only blanks/],
    ["%PDF-1.7", /no text/],
    ["a\0".repeat(200), /no text/],
    ["<!DOCTYPE html><html>", /web page/],
  ])("of %j is refused with a sentence", (text, why) => {
    expect(() => kindOf(bytes(text))).toThrow(why);
  });

  test("other JSON, and JSON that is cut off, is refused with a sentence", () => {
    const read = (text: string) => readWhole("json", { name: "x", text, modified: MODIFIED });
    expect(() => read('[{"a":1}]')).toThrow(/no export/);
    expect(() => read('[{"mapping":')).toThrow(/cut off/);
    expect(read(JSON.stringify(CHATGPT[0])).rows.length).toBeGreaterThan(0);
  });
});

test("an export that was read is written again, and nous-server takes every line", () => {
  const rows = noRows();
  const lines = [
    { kind: "agent", preset: "trading" },
    {
      kind: "node",
      ...{ id: "n1", type: "note", content_title: "One", tags: ["a"], censors: [] },
      ...{ created_at: "2026-01-01T00:00:00Z", embedding: [0.5, 1], signals: { pnl_pct: 2 } },
    },
    { kind: "node", id: "n2", type: "note", content_title: "Two", created_at: "2026-01-02" },
    { kind: "cluster", id: "c", name: "Run", description: "kept" },
    { kind: "membership", cluster_id: "c", node_id: "n1", weight: 0.5 },
    { kind: "conflict", id: "q", old_node_id: "n1", new_node_id: "n2", context: "kept" },
    { kind: "edge", id: "e", source_id: "n1", target_id: "n2", type: "causes" },
    { kind: "outcome", playbook_id: "n1", entry_id: "n2", profitable: 1, applied_at: "2026-01-03" },
  ];
  for (const line of lines) addLine(rows, JSON.stringify(line));
  const written = [...exportLines(rows, () => "KNOWLEDGE")].map((line) => JSON.stringify(line));
  for (const line of written) expect(() => readExportLine(line), line).not.toThrow();
  const all = written.join("\n");
  expect(all).toContain('"embedding":[0.5,1]');
  expect(all).toContain('"description":"kept"');
  expect(all).toContain('"weight":0.5');
  expect(all).toContain('"context":"kept"');
  expect(written).toHaveLength(lines.length);
  // What names a memory that was deleted is left out.
  rows.nodes.delete("n2");
  expect([...exportLines(rows, () => "KNOWLEDGE")].map(({ kind }) => kind)).toEqual([
    ...["agent", "node", "cluster", "membership", "conflict"],
  ]);
});

test("a memory that was written and read again has the same sections, answers and scores", async () => {
  await init();
  const fileAt = (path: string) => new URL(`../../../js/${path}`, import.meta.url);
  const words = new Embedder(readFileSync(fileAt("embedder/tables/nous-128.bin")));
  const opening = { name: "", now: MODIFIED, words, wrong: [], wrongCount: 0 } as const;
  const heldOf = (lines: Iterable<string>, config: object) => {
    const rows = noRows();
    for (const line of lines) addLine(rows, line);
    return Held.open({ ...opening, wrong: [], rows, config, source: "files" }, () => {});
  };
  const sample = readFileSync(fileAt("page/dist/samples/general.jsonl"), "utf8").trim().split("\n");
  const first = await heldOf(sample, { sections: { subtypes: GENERAL_SUBTYPES } });
  const again = await heldOf(
    [...first.exportLines()].map((line) => JSON.stringify(line)),
    {},
  );
  expect(first.summary().bySection.EPISODIC).toBeGreaterThan(0);
  expect(again.summary().bySection).toEqual(first.summary().bySection);
  const ask = (held: Held) =>
    [
      "Which evening is without screens?",
      "What did we do in Oban?",
      "How do I bleed a radiator?",
    ].map((question) => held.index.ask(question, { limit: 20, now: MODIFIED }));
  expect(ask(again)).toEqual(ask(first));
  first.free();
  again.free();
  const wrong = { kind: "agent", preset: "general", sections: { fact: "x" } };
  expect(() => addRow(noRows(), wrong)).toThrow(/sections/);
});

test("the lines that readers make are lines of an export", () => {
  for (const { rows } of [
    readChatgpt(FILE, CHATGPT),
    readClaude(FILE, CLAUDE),
    readDocument({ name: "a.txt", text: "Some text.", modified: MODIFIED }),
  ]) {
    for (const row of rows) expect(() => readExportLine(JSON.stringify(row))).not.toThrow();
  }
});

test("a wrong row is refused with the field and the reason", () => {
  const refusal = (json: object) => {
    try {
      addRow(noRows(), json as never);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal({ kind: "node" })).toBe("id: is missing");
  expect(refusal({ kind: "node", id: 3 })).toBe("id: must be a text");
  expect(refusal({ kind: "node", id: "a" })).toBe("type: is missing");
  expect(refusal({ kind: "node", id: "a", type: "note", content_title: 4 })).toBe(
    "content_title: must be a text",
  );
  expect(refusal({ kind: "edge", id: "e", source_id: "a" })).toBe("target_id: is missing");
  expect(refusal({ kind: "memo" })).toMatch(/^kind: must be/);
});

test("metrics become figures", () => {
  const text = [
    "# HELP nous_requests_total Requests.",
    'nous_requests_total{method="GET",route="/nodes",status="200"} 40',
    'nous_requests_total{method="GET",route="/nodes",status="404"} 2',
    'nous_request_seconds_sum{method="GET",route="/nodes"} 0.42',
    'nous_request_seconds_count{method="GET",route="/nodes"} 42',
    "nous_agents_open 3",
  ].join("\n");
  expect(metricsIn(text).slice(0, 4)).toEqual([
    { name: "Requests answered", value: "42" },
    { name: "Refused or failed", value: "2" },
    { name: "Mean time of an answer", value: "10 ms" },
    { name: "Agents open", value: "3" },
  ]);
});

describe("a list of a server", () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Reads a memory whose list at a path names these next pages. Returns the asked cursors. */
  async function readWith(list: string, next: (asked: number) => string | null): Promise<string[]> {
    const answers: Record<string, object> = {
      "/v1/agent": { preset: "general", weights: null, stemming: true, types: {} },
      "/v1/learned": { learning: false },
    };
    const empty = { data: [], nodes: [], edges: [], clusters: [], memberships: [], node_count: 1 };
    const asked: string[] = [];
    vi.stubGlobal("location", new URL("http://localhost/"));
    vi.stubGlobal("fetch", async (request: string | URL | Request) => {
      const url = new URL(request instanceof Request ? request.url : request);
      const isList = url.pathname === list;
      if (isList) asked.push(url.searchParams.get("cursor") ?? "");
      const next_cursor = isList ? next(asked.length) : null;
      return Response.json({ ...empty, ...answers[url.pathname], next_cursor });
    });
    const server = new Server({ url: "http://localhost:3100", agent: "a", key: "" });
    await server.read(noRows(), () => {});
    return asked;
  }

  test.each(["/v1/graph", "/v1/nodes", "/v1/contradiction/queue"])(
    "at %s ends with a sentence if its pages come again",
    async (list) => {
      const three = (asked: number) => ["a", "b", null][asked - 1] ?? null;
      expect(await readWith(list, three)).toEqual(["", "a", "b"]);
      expect(await readWith(list, (asked) => (asked > 90 ? null : `${asked}`))).toHaveLength(91);
      for (const circle of [["a"], ["a", "b"], ["a", "b", "c"]])
        await expect(readWith(list, (asked) => circle[asked % circle.length]!)).rejects.toThrow(
          /has no end: its pages come again\. Update the server/,
        );
      await expect(readWith(list, (asked) => `${asked}`)).rejects.toThrow(/has no end/);
    },
  );
});
