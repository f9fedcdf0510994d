// The readers of other programs' files: the memories, links and rest that each makes of its shape.

import fc from "fast-check";
import { GENERAL, type JsonSource } from "nous-memory";
import {
  type ExportRow,
  jsonParts,
  keyOf,
  kindOf,
  type LeftOut,
  type Moved,
  type MovedMemory,
  readMarkdownFile,
  readSource,
  readWhole,
  rowsOf,
} from "nous-memory/moving";
import { createEngine } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { runs } from "../support/amount.ts";
import { readExportLine } from "./support/export-lines.ts";

const MODIFIED = Date.parse("2026-03-01T10:00:00Z");
const NOW = Date.parse("2026-04-01T00:00:00Z");
const bytes = (text: string) => new TextEncoder().encode(text);

/** Reads a text as a file of a program, in pieces of a few characters. */
function read(source: JsonSource, given: unknown, name = "file.json"): Moved[] {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const chunks = function* () {
    for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
  };
  return [...readSource(source, { name, modified: MODIFIED, chunks })];
}

const memoriesIn = (moved: readonly Moved[]): MovedMemory[] =>
  moved.filter((one) => one.kind === "memory");
const textsIn = (moved: readonly Moved[]): string[] => memoriesIn(moved).map(({ text }) => text);
const leftIn = (moved: readonly Moved[]): LeftOut[] => moved.filter((one) => one.kind === "left");
const whyIn = (moved: readonly Moved[]): string[] => leftIn(moved).map(({ why }) => why);
const options = { preset: GENERAL, now: NOW, modified: MODIFIED };

/** Returns the rows of what was read. Each is a line that nous-server takes. */
function rows(moved: Iterable<Moved>, more: object = {}): ExportRow[] {
  const made = Array.from(rowsOf(moved, { ...options, ...more })).flatMap((part) =>
    part.kind === "row" ? part.row : [],
  );
  for (const row of made)
    expect(() => readExportLine(JSON.stringify(row)), JSON.stringify(row)).not.toThrow();
  return made;
}
const nodesIn = (all: readonly ExportRow[]) => all.filter(({ kind }) => kind === "node");

/** A message of ChatGPT's tree. */
const message = (
  id: string,
  parent: string | null,
  role: string,
  content: object | string,
  more: object = {},
) => ({
  [id]: {
    ...{ id, parent, children: [] },
    message: {
      ...{ id, author: { role }, create_time: null, recipient: "all" },
      content: typeof content === "string" ? { content_type: "text", parts: [content] } : content,
      ...more,
    },
  },
});

const CHATGPT = {
  conversation_id: "talk",
  title: "Oat milk",
  create_time: 1_770_000_000,
  current_node: "d",
  mapping: {
    root: { id: "root", parent: null, message: null, children: ["s"] },
    ...message("s", "root", "system", "Be kind."),
    ...message("a", "s", "user", "Which oat milk foams?", { create_time: 1_770_000_001.5 }),
    ...message("b", "a", "assistant", "An older branch.", { create_time: 1_770_000_002 }),
    ...message("c", "a", "assistant", "The barista one.", { create_time: 1_770_000_003 }),
    ...message("d", "c", "user", "Thanks"),
  },
};

describe("a ChatGPT export", () => {
  test("becomes turns of the branch that was shown last, in order", () => {
    const moved = read("chatgpt", [CHATGPT, { title: "broken" }]);
    const all = rows(moved);
    expect(nodesIn(all).map(({ id, content_title }) => [id, content_title])).toEqual([
      ["a", "user: Which oat milk foams?"],
      ["c", "assistant: The barista one."],
      ["d", "user: Thanks"],
    ]);
    expect(nodesIn(all)[0]).toMatchObject({
      ...{ type: "episode", subtype: "episode", content_body: "Which oat milk foams?" },
      ...{ created_at: "2026-02-02T02:40:01.500Z", provenance_source: "chatgpt:user" },
      session_id: "talk",
    });
    // A message without a time takes that of the one before it.
    expect(nodesIn(all)[2]).toMatchObject({ created_at: "2026-02-02T02:40:03.000Z" });
    // Its run goes on if the agent remembers more of the session.
    expect(all[0]).toMatchObject({ kind: "cluster", id: "session:talk", name: "Oat milk" });
    expect(all.filter(({ kind }) => kind === "membership")).toHaveLength(3);
    expect(leftIn(moved).map(({ why, isWrong, place }) => [place.number, isWrong, why])).toEqual([
      [1, false, "instructions for the model"],
      [1, false, "another branch of the conversation: it was edited or answered anew"],
      [2, true, "is a conversation without messages (mapping)"],
    ]);
  });

  test("leaves out thanks, except where they answer", () => {
    const engine = createEngine({});
    const said = (texts: readonly string[]) => {
      const mapping = Object.assign(
        {},
        ...texts.map((text, at) => message(`m${at}`, at === 0 ? null : `m${at - 1}`, "user", text)),
      );
      const talk = { id: "t", current_node: `m${texts.length - 1}`, mapping };
      return nodesIn(rows(read("chatgpt", [talk]), { engine })).length;
    };
    expect(said(["The pier opens at nine.", "Thanks!"])).toBe(1);
    expect(said(["Does the pier open at nine?", "Yes"])).toBe(2);
  });

  test("names what each left message was", () => {
    const parts = [
      { content_type: "image_asset_pointer", asset_pointer: "file-service://x" },
      "What is this?",
      { content_type: "audio_transcription", text: "And this?" },
    ];
    const mapping = {
      ...message("m0", null, "user", { content_type: "user_editable_context", user_profile: "x" }),
      ...message("m1", "m0", "user", { content_type: "multimodal_text", parts }),
      ...message("m2", "m1", "assistant", { content_type: "thoughts", thoughts: [] }),
      ...message("m3", "m2", "assistant", '{"q": 1}', { recipient: "web.run" }),
      ...message("m4", "m3", "tool", { content_type: "execution_output", text: "42" }),
      ...message("m5", "m4", "assistant", "Hidden.", {
        metadata: { is_visually_hidden_from_conversation: true },
      }),
      ...message("m6", "m5", "assistant", ""),
      ...message("m7", "m6", "assistant", { content_type: "hologram", parts: ["x"] }),
      ...message("m8", "m7", "narrator", "x"),
    };
    const moved = read("chatgpt", { id: "t", current_node: "m8", mapping });
    expect(textsIn(moved)).toEqual(["What is this?\n\nAnd this?"]);
    expect(whyIn(moved)).toEqual([
      "instructions for the model",
      "a picture, a sound or a file: it has no text here",
      "what a model thought",
      "what a tool was told or answered",
      "what a tool was told or answered",
      "a message that the page of ChatGPT hides",
      "a message without words",
      "a message of an unknown kind of content",
      "a message of an unknown speaker",
    ]);
  });

  test("without a last message, follows the latest one, and survives a circle", () => {
    const { current_node: _, ...talk } = CHATGPT;
    expect(memoriesIn(read("chatgpt", [talk])).at(-1)).toMatchObject({ id: "c" });
    const mapping = {
      ...message("a", "b", "user", "one", { create_time: 2 }),
      ...message("b", "a", "user", "two", { create_time: 1 }),
    };
    expect(memoriesIn(read("chatgpt", [{ create_time: 1, mapping }]))).toHaveLength(2);
  });

  const said = (text: string, over: object = {}, talk: object = {}) =>
    memoriesIn(
      read("chatgpt", [{ mapping: message("a", null, "assistant", text, over), ...talk }]),
    );

  test("takes the time of its first message, else of the file, if it has none itself", () => {
    const created = (over: object, talk = {}) => said("Hello.", over, talk)[0]!.created;
    expect(created({ create_time: 1_770_000_000 }, { create_time: null })).toBe(1_770_000_000_000);
    expect(created({})).toBe(MODIFIED);
    const forms = [1_770_000_000, 1_770_000_000_000, "2026-02-02T02:40:00Z", "1770000000"];
    for (const create_time of forms) expect(created({ create_time })).toBe(1_770_000_000_000);
    for (const create_time of [0, -1, 1e300, "soon", true, {}])
      expect(created({ create_time }), String(create_time)).toBe(MODIFIED);
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
    expect(said(text).map((memory) => memory.text)).toEqual([left]);
  });
});

describe("a Claude export", () => {
  test("becomes turns, with the texts of attachments", () => {
    const moved = read("claude", [
      {
        ...{ uuid: "chat", name: "Trip", created_at: "2026-02-03T08:00:00Z" },
        chat_messages: [
          { uuid: "m1", sender: "human", text: "Where to?", created_at: "2026-02-03T08:00:01Z" },
          {
            ...{ uuid: "m2", sender: "assistant", text: "Oban.\n\nThis block is not supported" },
            content: [
              { type: "thinking", thinking: "…" },
              { type: "text", text: "Oban, by train." },
              { type: "tool_use", name: "map" },
            ],
            created_at: "2026-02-03T08:00:09Z",
            attachments: [{ file_name: "times.txt", extracted_content: "10:34 Glasgow" }],
          },
          { uuid: "m3", sender: "human", text: "", files: [{ file_name: "photo.jpg" }] },
        ],
      },
      { uuid: "empty", chat_messages: [] },
    ]);
    expect(textsIn(moved)).toEqual(["Where to?", "Oban, by train.\n\n10:34 Glasgow"]);
    expect(rows(moved)[0]).toMatchObject({ kind: "cluster", id: "session:chat", name: "Trip" });
    expect(whyIn(moved)).toEqual([
      "what a model thought",
      "what a tool was told or answered",
      "a picture, a sound or a file: it has no text here",
      "a message without words",
    ]);
  });

  test("has what Claude remembers, and the documents of projects", () => {
    const project_memories = { p1: "The boat is red." };
    const told = read("claude", [{ conversations_memory: "Sails on Sundays.", project_memories }]);
    expect(textsIn(told)).toEqual(["Sails on Sundays.", "The boat is red."]);
    const docs = [{ uuid: "d", filename: "plan.md", content: "# Plan\n\nPaint in May." }];
    const project = read("claude", [{ uuid: "p1", name: "Boat", docs }]);
    expect(memoriesIn(project)[0]).toMatchObject({ id: "d", title: "plan.md", tags: ["Boat"] });
    const [node] = nodesIn(rows(project));
    expect(node).toMatchObject({ content_title: "plan.md › Plan", content_body: "Paint in May." });
  });
});

describe("Gemini's activity", () => {
  const ENTRIES = [
    {
      ...{ header: "Gemini Apps", products: ["Gemini Apps"], time: "2026-02-03T09:00:00.000Z" },
      title: "Prompted And the tides? Attached 1 file.",
      safeHtmlItem: [
        { html: "<p>Low at <b>six</b>.</p><ul><li>High at noon &amp; later</li></ul>" },
      ],
    },
    {
      ...{ header: "Gemini Apps", time: "2026-02-03T08:50:00.000Z" },
      title: "Prompted When does the ferry leave?",
      safeHtmlItem: [{ html: "<p>At nine.</p>" }],
    },
    { header: "Gemini Apps", title: "Used a shared link", time: "2026-02-03T08:00:00Z" },
    { header: "Search", title: "Searched for oats", time: "2026-02-03T08:00:00Z" },
    { header: "Gemini Apps", title: "Prompted Later", time: "2026-02-04T08:00:00Z" },
    { title: 3 },
  ];

  test("becomes conversations in order of time", () => {
    const moved = read("gemini", ENTRIES, "MyActivity.json");
    expect(memoriesIn(moved).map(({ role, text }) => [role, text])).toEqual([
      ["user", "When does the ferry leave?"],
      ["assistant", "At nine."],
      ["user", "And the tides?"],
      ["assistant", "Low at six.\n\n- High at noon & later"],
      ["user", "Later"],
    ]);
    const sessions = memoriesIn(moved).map(({ session }) => session);
    expect(new Set(sessions).size).toBe(2);
    expect(sessions[0]).toBe(sessions[3]);
    expect(whyIn(moved).sort()).toEqual([
      "activity of another product of Google",
      "activity without words, such as a shared link",
      "is no activity with a title and a time",
    ]);
    // A later export with more entries has the same ids.
    const again = read("gemini", ENTRIES.slice(0, 4), "other.json");
    expect(memoriesIn(again).map(({ id }) => id)).toEqual(
      memoriesIn(moved)
        .map(({ id }) => id)
        .slice(0, 4),
    );
  });

  test("is read from the web page, too", () => {
    const cell = (product: string, body: string) =>
      `<div class="outer-cell mdl-cell"><div class="mdl-grid"><div class="header-cell"><p class="mdl-typography--title">${product}<br></p></div>` +
      `<div class="content-cell mdl-cell mdl-typography--body-1">${body}</div><div class="content-cell mdl-cell mdl-typography--body-1 mdl-typography--text-right"></div></div></div>`;
    const page =
      "<!DOCTYPE html><html><head><title>My Activity History</title></head><body>" +
      cell(
        "Gemini Apps",
        "Prompted&nbsp;Two<br>lines?<br>Jan 15, 2026, 9:05:00\u202fAM CET<br><p>Yes.</p>",
      ) +
      cell("Gemini Apps", "Prompted&nbsp;Eins?<br>16.01.2026, 10:00:00 MEZ<br><p>Ja.</p>") +
      cell("Gemini Apps", "Prompted&nbsp;When?<br>some day<br><p>No.</p>") +
      cell("Maps", "Viewed Oban<br>Jan 15, 2026, 9:05:00 AM UTC<br>");
    const moved = [
      ...readSource("gemini", { name: "MyActivity.html", modified: 1, chunks: () => [page] }),
    ];
    expect(memoriesIn(moved).map(({ text, created }) => [text, created])).toEqual([
      ["Two\nlines?", Date.parse("2026-01-15T08:05:00Z")],
      ["Yes.", Date.parse("2026-01-15T08:05:00Z")],
      ["Eins?", Date.parse("2026-01-16T09:00:00Z")],
      ["Ja.", Date.parse("2026-01-16T09:00:00Z")],
    ]);
    expect(leftIn(moved).map(({ place, isWrong }) => [place.number, isWrong])).toEqual([
      [3, true],
      [4, false],
    ]);
    expect(kindOf(bytes(page))).toBe("json");
    expect(readWhole("json", { name: "x", text: page, modified: 1 })).toEqual(
      moved.map((one) => ({ ...one, place: { ...one.place, file: "x" } })),
    );
  });

  // From each of these beginnings an end would be looked for, as far as the page goes: for hours.
  test.each([
    ["titles", `<p class="mdl-typography--title">`, ""],
    ["cells", `<p class="mdl-typography--title">Gemini</p>`, `<div class="content-cell body-1">`],
    [
      "names of a cell",
      `<p class="mdl-typography--title">Gemini</p><div class="content-cell `,
      "body-1",
    ],
    [
      "ends of cells",
      `<p class="mdl-typography--title">Gemini</p><div class="content-cell body-1">`,
      "</div> ",
    ],
  ])("is read in proportion to its length, if it has %s without end", (_, begun, again) => {
    const start = `<html><title>My Activity</title><div class="outer-cell">${begun}`;
    const page = start + (again || begun).repeat(500_000);
    const moved = [
      ...readSource("gemini", { name: "MyActivity.html", modified: 1, chunks: () => [page] }),
    ];
    expect(leftIn(moved)).toHaveLength(1);
  });
});

test("memories of mem0 keep user, run, categories, times and metadata", () => {
  const one = {
    ...{ id: "m-1", memory: "Mira eats no dairy", user_id: "mira", hash: "x", score: 0.4 },
    ...{ metadata: { via: "chat" }, categories: ["food"], agent_id: "cook", run_id: "r1" },
    ...{ created_at: "2026-01-02T03:04:05-08:00", updated_at: "2026-01-03T00:00:00-08:00" },
    expiration_date: "2030-01-01",
  };
  const moved = read("mem0", {
    results: [one, { id: "m-2", memory: " " }, { id: "m-3" }],
    next: null,
  });
  const [node] = nodesIn(rows(moved));
  expect(node).toMatchObject({
    ...{ id: "m-1", content_title: "Mira eats no dairy", user_id: "mira", session_id: "r1" },
    ...{ type: "preference", tags: '["food"]', created_at: "2026-01-02T11:04:05.000Z" },
    ...{ last_modified: "2026-01-03T08:00:00.000Z", expires_at: "2030-01-01T00:00:00.000Z" },
  });
  expect(JSON.parse(String(node!.metadata))).toEqual({ agent_id: "cook", via: "chat" });
  expect(leftIn(moved).map(({ place, isWrong }) => [place.number, isWrong])).toEqual([
    [2, false],
    [3, true],
  ]);
  // A list, the answer of an older version, relations of its graph, and one page of several.
  expect(textsIn(read("mem0", [one]))).toEqual(["Mira eats no dairy"]);
  const relations = [{ source: "mira", relationship: "lives_in", target: "bergen" }];
  const graph = read("mem0", { results: [one], relations });
  expect(textsIn(graph)).toEqual(["Mira eats no dairy", "mira lives in bergen"]);
  expect(whyIn(read("mem0", { results: [one], next: "https://…" }))).toEqual([
    expect.stringContaining("one page of several"),
  ]);
});

test("facts of Zep that hold, summaries and messages are taken", () => {
  const moved = read("zep", {
    edges: [
      {
        ...{ uuid: "e1", fact: "Mira lives in Bergen", name: "LIVES_IN" },
        ...{
          created_at: "2026-01-02T00:00:00Z",
          valid_at: "2025-05-04T00:00:00Z",
          invalid_at: null,
        },
      },
      { uuid: "e2", fact: "Mira lives in Oslo", invalid_at: "2025-05-04T00:00:00Z" },
    ],
    nodes: [{ uuid: "n1", name: "Mira", labels: ["Entity", "Person"], summary: "Mira sails." }],
  });
  expect(memoriesIn(moved)).toMatchObject([
    { id: "e1", text: "Mira lives in Bergen", event: "2025-05-04T00:00:00Z", tags: ["lives in"] },
    { id: "n1", text: "Mira sails.", title: "Mira", type: "person" },
  ]);
  expect(whyIn(moved)).toEqual([expect.stringContaining("holds no longer")]);
  const thread = read("zep", {
    thread_id: "t1",
    messages: [
      {
        uuid: "a",
        role: "user",
        name: "Mira",
        content: "We moved to Bergen.",
        created_at: "2026-01-01T00:00:00Z",
      },
      { uuid: "b", role: "assistant", content: "Congratulations on the move!" },
      { uuid: "c", role: "system", content: "Be kind." },
    ],
  });
  expect(memoriesIn(thread)).toMatchObject([
    { role: "user", session: "t1", source: "zep:user" },
    { role: "assistant", session: "t1", created: undefined },
  ]);
});

describe("Letta", () => {
  test("gives blocks, messages and files of an agent file", () => {
    const moved = read("letta", {
      agents: [
        {
          ...{ name: "Sam", block_ids: ["block-0"] },
          messages: [
            { id: "message-0", role: "system", content: [{ type: "text", text: "You are Sam." }] },
            {
              ...{ id: "message-1", role: "user", created_at: "2026-01-02T03:04:05Z" },
              content: [{ type: "text", text: '{"type": "user_message", "message": "I sail."}' }],
            },
            { role: "user", content: '{"type": "heartbeat", "reason": "x"}' },
            {
              ...{ role: "assistant", content: "I should greet." },
              tool_calls: [
                { id: "c", function: { name: "send_message", arguments: '{"message": "Ahoy!"}' } },
              ],
            },
            { role: "tool", tool_call_id: "c", content: "OK" },
            { role: "assistant", content: [{ type: "text", text: "Fair winds." }] },
          ],
        },
      ],
      blocks: [
        { id: "block-0", label: "human", value: "Her name is Mira.\nShe sails." },
        { id: "block-1", label: "persona", value: "" },
      ],
      files: [{ file_name: "log.txt", content: null }],
      ...{ groups: [], sources: [], tools: [], mcp_servers: [] },
    });
    expect(memoriesIn(moved).map(({ role, text, tags }) => [role ?? tags, text])).toEqual([
      [["human"], "Her name is Mira.\nShe sails."],
      ["user", "I sail."],
      ["assistant", "Ahoy!"],
      ["assistant", "Fair winds."],
    ]);
    expect(whyIn(moved)).toEqual([
      "a block without words",
      "what a model is told to do is no memory of the conversation",
      "an event of the framework",
      expect.stringContaining("results of tools"),
      "a file without its text",
    ]);
  });

  test("gives the passages of archival memory, and files of its first form", () => {
    const passage = {
      id: "passage-1",
      text: "Low tide at six.",
      tags: ["sea"],
      created_at: "2026-01-02T00:00:00Z",
    };
    const passages = memoriesIn(read("letta", [passage]));
    expect(passages).toMatchObject([{ id: "passage-1", text: "Low tide at six.", tags: ["sea"] }]);
    const core_memory = [{ label: "human", value: "Mira" }];
    const first = read("letta", {
      name: "Sam",
      core_memory,
      messages: [{ role: "user", text: "Hi there, I sail." }],
    });
    expect(textsIn(first)).toEqual(["Mira", "Hi there, I sail."]);
  });
});

test("the file of the MCP server for memory becomes a run for each entity, with links", () => {
  const entities = [
    {
      type: "entity",
      name: "Ada",
      entityType: "person",
      observations: ["Lives in Turku", "Sails", "Sails"],
    },
    { type: "entity", name: "The Boat", entityType: "thing", observations: [] },
  ];
  const relations = [{ type: "relation", from: "Ada", to: "The Boat", relationType: "co_owns" }];
  const lines = [...entities, ...relations].map((part) => JSON.stringify(part)).join("\n");
  for (const text of [lines, JSON.stringify({ entities, relations })]) {
    expect(kindOf(bytes(text))).toBe("json");
    const all = rows(read("mcp-memory", text));
    expect(nodesIn(all).map((node) => [node.type, node.content_title, node.content_body])).toEqual([
      ["person", "Ada (person)", "Lives in Turku"],
      ["person", "Ada (person)", "Sails"],
      ["person", "Ada (person)", "Ada co owns The Boat"],
      ["fact", "The Boat (thing)", null],
    ]);
    const [edge] = all.filter(({ kind }) => kind === "edge");
    expect(edge).toMatchObject({ type: "co_owns", source_id: nodesIn(all)[0]!.id });
    expect(edge!.target_id).toBe(nodesIn(all)[3]!.id);
  }
});

test("items of LangGraph's store keep namespace, key and the rest of the value", () => {
  const moved = read("langgraph", [
    {
      namespace: ["users", "mira"],
      key: "diet",
      value: { text: "No dairy", via: "chat" },
      created_at: "2026-01-02T00:00:00+00:00",
    },
    {
      prefix: "users.mira",
      key: "m2",
      value: '{"kind": "Memory", "content": {"content": "Sails"}}',
    },
    {
      prefix: "users.mira",
      key: "profile",
      value: { name: "Mira", pets: ["Rex", "Tom"], home: { city: "Bergen" } },
    },
    { prefix: "users.mira", key: "none", value: {} },
    { key: "x" },
  ]);
  expect(memoriesIn(moved)).toMatchObject([
    { text: "No dairy", metadata: { namespace: ["users", "mira"], key: "diet", via: "chat" } },
    { text: "Sails", metadata: { kind: "Memory" } },
    { text: "name: Mira\npets: Rex\npets: Tom\nhome city: Bergen" },
  ]);
  expect(leftIn(moved).map(({ place, isWrong }) => [place.number, isWrong])).toEqual([
    [4, false],
    [5, true],
  ]);
  // The rows of the table and the answers of `search` are the same items.
  const [one] = memoriesIn(
    read("langgraph", [{ prefix: "users.mira", key: "diet", value: { text: "x" } }]),
  );
  expect(one!.id).toBe(memoriesIn(moved)[0]!.id);
});

test("lines with texts keep what they name, and the rest as metadata", () => {
  const lines = [
    '"Only a text"',
    '{"content": "Oban, by train", "role": "user", "thread_id": 7, "date": "2026-01-02", "labels": "sea, rail", "mood": "glad"}',
    '{"text": ""}',
    '{"note": "nothing"}',
    '{"text": "odd", "created_at": "yesterday-ish"}',
    "[1]",
  ];
  const moved = read("jsonl", lines.join("\n"));
  expect(memoriesIn(moved)).toMatchObject([
    { text: "Only a text" },
    {
      ...{ text: "Oban, by train", role: "user", session: "7", tags: ["sea", "rail"] },
      ...{ created: Date.parse("2026-01-02"), metadata: { mood: "glad" } },
    },
    { text: "odd", created: undefined },
  ]);
  expect(leftIn(moved).map(({ place, isWrong }) => [place.number, isWrong])).toEqual([
    [3, false],
    [4, true],
    [5, false],
    [6, true],
  ]);
});

describe("a document", () => {
  const read = (text: string) =>
    nodesIn(rows(readWhole("document", { name: "notes.md", text, modified: MODIFIED })));
  const parts = (text: string) =>
    read(text).map(({ content_title, content_body }) => [content_title, content_body]);

  test("is split at headings, whose path is the title", () => {
    expect(
      parts("Before.\n\n# Garden\nSow in *May*.\n## **Beans** ##\nFour rows.\n# Car\n"),
    ).toEqual([
      ["Before.", null],
      ["Garden", "Sow in *May*."],
      ["Garden › Beans", "Four rows."],
      ["Car", null],
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
        tags: '["knots","rope"]',
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
    const found = parts(text).map(([title, body]) => String(body ?? title));
    expect(found.length).toBeGreaterThan(4);
    expect(found[0]).toMatch(/^Short\.\n\nAlso short\./);
    const words = (of: string) => of.split(/\s+/).join(" ");
    expect(words(found.join(" "))).toBe(words(text));
    expect(read(text)[0]).toMatchObject({ type: "fact" });
  });

  test("has ids by its words: a part that is added changes none of the others", () => {
    const [one, two] = ["# One\n\nThe first part.\n\n", "# Two\n\nThe second part.\n\n"];
    const idsOf = (text: string) => read(text).map(({ id }) => String(id));
    const ids = idsOf(one + two);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^file:[0-9a-f]{32}$/);
    expect(idsOf(`# Zero\n\nA part before.\n\n${one}${two}`).slice(1)).toEqual(ids);
    // The same words twice are two memories.
    expect(idsOf(one + two + one)).toEqual([...ids, `${ids[0]}:2`]);
  });
});

describe("a note of basic-memory", () => {
  const NOTE = `---
title: Coffee Brewing
type: note
tags:
  - coffee
  - "brewing"
permalink: drinks/coffee
created: 2026-01-02
---

# Coffee Brewing

Words before the lists, with a [[Kettle]].

## Observations
- [method] Pour over keeps clarity #filter (from a talk)
- [preference] Mira likes light roasts
- [ ] a task, no category
- [a link](https://example.org)

## Relations
- requires [[Proper Grinding|grinding]]
- [[Tea]]

\`\`\`
- [code] stays code
\`\`\`
`;
  test("becomes its words, observations and relations", () => {
    const { memories, links, names } = readMarkdownFile(
      { name: "drinks/coffee-brewing.md", modified: MODIFIED },
      NOTE.replaceAll("\n", "\r\n"),
      "basic-memory",
    );
    expect(memories.slice(-4).map(({ text, tags }) => [text, tags])).toEqual([
      ["Pour over keeps clarity #filter (from a talk)", ["coffee", "brewing", "method", "filter"]],
      ["Mira likes light roasts", ["coffee", "brewing", "preference"]],
      ["Coffee Brewing requires Proper Grinding", ["coffee", "brewing"]],
      ["Coffee Brewing relates to Tea", ["coffee", "brewing"]],
    ]);
    const words = memories.map(({ text }) => text).join("\n");
    for (const kept of [
      "Words before the lists",
      "a task, no category",
      "[a link]",
      "[code] stays code",
    ])
      expect(words).toContain(kept);
    expect(links.map(({ type, name }) => `${type} ${name}`)).toEqual([
      "requires Proper Grinding",
      "relates_to Tea",
      "links_to Kettle",
    ]);
    expect(names).toContain("drinks/coffee");
    expect(memories[0]).toMatchObject({
      created: Date.parse("2026-01-02"),
      title: "Coffee Brewing",
    });
    const types = nodesIn(rows(memories)).map(({ type }) => type);
    expect(types.at(-3)).toBe("preference");
  });
});

test("a note of basic-memory has no memory of headings that nothing stands below", () => {
  const list = "- [method] Pour over keeps clarity\n";
  const textsOf = (text: string) =>
    readMarkdownFile({ name: "a.md", modified: MODIFIED }, text, "basic-memory").memories.map(
      (memory) => memory.text,
    );
  const observed = "Pour over keeps clarity";
  // As `basic-memory tool write-note` writes it, and with a title.
  const lists = `## Observations\n${list}\n## Relations\n`;
  for (const title of ["", "# Coffee\n\n"]) expect(textsOf(title + lists)).toEqual([observed]);
  expect(textsOf(`# Coffee\n\nBeans.\n\n${lists}`)).toEqual([
    expect.stringMatching(/Beans\.$/),
    observed,
  ]);
  const [deep] = textsOf(`# Coffee\n\n## Tools\n${list}\n### Mill\n\nOld.\n`);
  expect(deep).toMatch(/Old\.$/);
  const [code] = textsOf(`${list}\n\`\`\`\n# no heading\n\`\`\`\n`);
  expect(code).toContain("# no heading");
});

describe("JSON in pieces", () => {
  test("is what JSON.parse gives of the whole", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom("", "  ", "\n"),
        (list, size, indent) => {
          const text = JSON.stringify(list, null, indent);
          const chunks = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g"))!;
          const parts = [...jsonParts(chunks)];
          expect(parts.map(({ json }) => json)).toEqual(JSON.parse(text));
          expect(parts.map(({ number }) => number)).toEqual(list.map((_, at) => at + 1));
        },
      ),
      runs(300),
    );
  });

  test("tells the part that is damaged, and reads the others", () => {
    const wrongIn = (text: string) =>
      Array.from(jsonParts([text]), ({ of, number, wrong }) => [of, number, wrong]);
    expect(wrongIn('[{"a": 1}, {"a": }, {"b": 2}]')).toEqual([
      ["entry", 1, undefined],
      ["entry", 2, "is not JSON"],
      ["entry", 3, undefined],
    ]);
    expect(wrongIn('[{"a": 1}, {"a": [1,')).toEqual([
      ["entry", 1, undefined],
      ["entry", 2, "is cut off"],
    ]);
    expect(wrongIn('[{"a": 1}')).toEqual([
      ["entry", 1, undefined],
      ["entry", 2, "is missing: the file is cut off here"],
    ]);
    expect(wrongIn('{"a": 1}\n\n{"a":\n{"a": 2}\n')).toEqual([
      ["line", 1, undefined],
      ["line", 3, "is not JSON"],
      ["line", 4, undefined],
    ]);
    expect(wrongIn('{\n  "a": "one\\"]"\n}')).toEqual([["entry", 1, undefined]]);
    for (const text of ['[{"a":', '{"a":', "[oops]"])
      expect(() => wrongIn(text), text).toThrow(/cut off/);
  });
});

describe("a file of something else", () => {
  test("is refused with what it seems to be", () => {
    expect(() => read("claude", [CHATGPT])).toThrow(
      /looks like a file of chatgpt: use --from chatgpt/,
    );
    expect(() => read("mem0", [{ a: 1 }])).toThrow(/holds no memories of mem0/);
    expect(() => read("zep", "# Notes")).toThrow(/is no JSON/);
    expect(() => read("zep", " ")).toThrow(/empty/);
  });

  test("is found by its content on the page", () => {
    const whole = (text: string) => readWhole("json", { name: "x", text, modified: MODIFIED });
    expect(() => whole('[{"a":1}]')).toThrow(/no export/);
    expect(() => whole('[{"mapping":')).toThrow(/cut off/);
    expect(textsIn(whole(JSON.stringify(CHATGPT)))).toHaveLength(3);
    expect(textsIn(whole('{"results": [{"id": "m", "memory": "Tea"}]}'))).toEqual(["Tea"]);
    const lines = `${JSON.stringify(CHATGPT)}\r\n\n{"mapping": {`;
    expect(leftIn(whole(lines)).at(-1)).toMatchObject({
      place: { of: "line", number: 3 },
      why: "is not JSON",
    });
  });

  test.each([
    ['{"kind":"agent","preset":"general"}\n{"kind":"node"', "lines"],
    ['oops\n{"kind":"cluster","id":"c"}', "lines"],
    [JSON.stringify([CHATGPT]), "json"],
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
});

describe("the rows of a memory", () => {
  const memory = (over: Partial<MovedMemory>): MovedMemory => ({
    ...{ kind: "memory", place: { file: "f" }, id: "m", text: "Words.", source: "x", ...over },
  });

  test("of a long text are several, which stay together", () => {
    const text = "The ferry to the island leaves at eight, and returns at six. ".repeat(60);
    const all = rows([memory({ text, title: "Ferries" })]);
    const ids = nodesIn(all).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(4);
    expect(ids.slice(0, 2)).toEqual(["m", "m:2"]);
    expect(all.filter(({ kind }) => kind === "membership")).toHaveLength(ids.length);
    expect(nodesIn(rows([memory({ text, isWhole: true })]))).toHaveLength(1);
  });

  test("can be stored whatever a file holds", () => {
    const odd = fc.string({ unit: "binary", maxLength: 60 });
    const some = fc.option(odd, { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({
          ...{
            id: odd,
            text: odd,
            title: some,
            type: some,
            role: some,
            event: some,
            expires: some,
          },
          ...{ created: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined }) },
          ...{ tags: fc.array(odd, { maxLength: 3 }), user: some, session: some, source: odd },
          metadata: fc.option(fc.dictionary(odd, odd), { nil: undefined }),
          run: fc.option(fc.record({ id: odd, name: odd }), { nil: undefined }),
        }),
        (fields) => {
          rows([
            memory(fields),
            { kind: "link", place: { file: "f" }, from: "a", to: "b", type: fields.id },
          ]);
        },
      ),
      runs(300),
    );
  });

  test("tell of odd times", () => {
    const made = (over: Partial<MovedMemory>) => [...rowsOf([memory(over)], options)];
    const why = (over: Partial<MovedMemory>) =>
      made(over).flatMap((one) => ("why" in one ? one.why : []));
    expect(why({ created: NOW + 1 })).toEqual([expect.stringContaining("in the future")]);
    expect(why({ expires: "2020-01-01" })).toEqual(["a memory that has expired"]);
    expect(why({ expires: "never", event: "once" })).toEqual([
      "an end that cannot be read",
      "a time of the event that cannot be read",
    ]);
    expect(why({ text: " \n" })).toEqual(["a text without words"]);
    expect(why({ metadata: { long: "x".repeat(20_000) } })).toEqual([
      expect.stringContaining("16 KB"),
    ]);
  });
});

test("a key is the same for the same parts, and another for others", () => {
  expect(keyOf("a", "b")).toBe("e363f2d5d3b1ba605171f161a3726e68");
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 6 }), { maxLength: 3 }), (parts) => {
      const [key, text] = [keyOf(...parts), JSON.stringify(parts)];
      expect(key).toMatch(/^[\da-f]{32}$/);
      expect(seen.get(key) ?? text).toBe(text);
      seen.set(key, text);
    }),
    runs(3_000),
  );
});
