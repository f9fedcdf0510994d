// The readers of files: each makes rows of an export out of a text.

import { readFileSync } from "node:fs";
import { Embedder, init } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { Held } from "../../../js/page/src/memory/held.ts";
import { addLine, addRow, exportLines, noRows } from "../../../js/page/src/memory/lines.ts";
import { readChatgpt } from "../../../js/page/src/memory/readers/chatgpt.ts";
import { readClaude } from "../../../js/page/src/memory/readers/claude.ts";
import { kindOf, readWhole } from "../../../js/page/src/memory/readers/kinds.ts";
import { readMarkdown } from "../../../js/page/src/memory/readers/markdown.ts";
import type { Reading } from "../../../js/page/src/memory/readers/reading.ts";
import { pieces, readText } from "../../../js/page/src/memory/readers/text.ts";
import { metricsIn } from "../../../js/page/src/memory/server.ts";
import { GENERAL_SUBTYPES } from "../../../js/sample/general/subtypes.ts";
import { readExportLine } from "../../server/support/export-lines.ts";

const MODIFIED = Date.parse("2026-03-01T10:00:00Z");
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
    const reading = readChatgpt(CHATGPT);
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
    expect(nodesOf(readChatgpt([talk])).at(-1)).toMatchObject({ id: "c" });
    const circle = {
      ...message("a", "b", "user", "one", 2),
      ...message("b", "a", "user", "two", 1),
    };
    expect(nodesOf(readChatgpt([{ create_time: 1, mapping: circle }]))).toHaveLength(2);
  });
});

test("a Claude export becomes turns, with the texts of attachments", () => {
  const reading = readClaude(CLAUDE);
  expect(nodesOf(reading).map(({ content_body }) => content_body)).toEqual([
    "Where to?",
    "Oban, by train.\n\n10:34 Glasgow",
  ]);
  expect(reading.rows[0]).toMatchObject({ kind: "cluster", id: "chat", name: "Trip" });
  expect(reading.wrong).toEqual([{ line: 2, why: "has no time (created_at)" }]);
});

describe("Markdown", () => {
  const read = (text: string) =>
    nodesOf(readMarkdown({ name: "notes.md", text, modified: MODIFIED })).map(
      ({ content_title, content_body }) => [content_title, content_body],
    );

  test("is split at headings, whose path is the title; front matter is left out", () => {
    expect(
      read(
        "---\ntitle: x\n---\nBefore.\n\n# Garden\nSow in *May*.\n## **Beans** ##\nFour rows.\n# Car\n",
      ),
    ).toEqual([
      ["", "Before."],
      ["Garden", "Sow in *May*."],
      ["Garden › Beans", "Four rows."],
    ]);
  });

  test("knows underlined headings, and no headings within code", () => {
    expect(read("Top\n===\nOne.\n\n```sh\n# no heading\n```\n\nSub\n---\nTwo.")).toEqual([
      ["Top", "One.\n\n```sh\n# no heading\n```"],
      ["Top › Sub", "Two."],
    ]);
  });
});

test("text becomes memories of a sensible size, and no word is lost", () => {
  const sentence = "The ferry to the island leaves at eight, and returns at six. ";
  const long = sentence.repeat(60).trim();
  const text = `Short.\n\nAlso short.\n \n${long}\n\nEnd.`;
  const found = pieces(text);
  expect(found[0]).toMatch(/^Short\.\n\nAlso short\.\n\nThe ferry/);
  expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(1_400);
  const words = (of: string) => of.split(/\s+/).join(" ");
  expect(words(found.join(" "))).toBe(words(text));
  expect(pieces("🦉".repeat(2_000)).join("")).toBe("🦉".repeat(2_000));
  const file = { name: "a.txt", text, modified: MODIFIED };
  expect(nodesOf(readText(file))[0]).toMatchObject({ id: "a.txt:1", subtype: "custom:note" });
});

describe("the kind of a file", () => {
  test.each([
    ["export.txt", '{"kind":"agent","preset":"general"}\n{"kind":"node"', "lines"],
    ["broken.jsonl", 'oops\n{"kind":"cluster","id":"c"}', "lines"],
    ["x", JSON.stringify(CHATGPT), "json"],
    ["x", '{"mapping":{}}', "json"],
    ["x", "PK\u0003\u0004", "zip"],
    ["x", "# Title\ntext", "markdown"],
    ["notes.md", "no heading", "markdown"],
    ["x", "plain words [1]", "text"],
    ["x", "[1] a note", "text"],
  ])("of %s is found by its content", (name, text, kind) => {
    expect(kindOf(name, bytes(text))).toBe(kind);
  });

  test.each([
    ["", /empty/],
    ["  \n", /only blanks/],
    ["%PDF-1.7", /no text/],
    ["a\0".repeat(200), /no text/],
    ["<!DOCTYPE html><html>", /web page/],
  ])("of %j is refused with a sentence", (text, why) => {
    expect(() => kindOf("x", bytes(text))).toThrow(why);
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
    readChatgpt(CHATGPT),
    readClaude(CLAUDE),
    readText({ name: "a.txt", text: "Some text.", modified: MODIFIED }),
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
