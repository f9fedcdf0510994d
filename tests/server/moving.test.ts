// The commands that import files of other programs and export for them.

import { spawnSync } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { strToU8, zipSync } from "fflate";
import { BUILT_IN_PRESETS } from "nous-memory";
import { afterEach, expect, onTestFinished, vi } from "vitest";
import type { Place } from "../../js/server/src/storage/place.ts";
import { closeDatabases } from "../../js/server/src/storage/postgres/open.ts";
import { readStorage, withStorage } from "../../js/server/src/transfer/commands.ts";
import {
  exportMarkdown,
  exportToMem0,
  type ImportOptions,
  importFrom,
} from "../../js/server/src/transfer/moving/commands.ts";
import type { Source } from "../../js/server/src/transfer/moving/names.ts";
import { amount } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import { databaseOptions } from "./support/on-postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

// The commands in this process start the built thread of PostgreSQL.
vi.mock("../../js/server/src/storage/postgres/database.ts", async (original) =>
  (await import("./support/threads.ts")).onBuiltThread(original),
);
afterEach(closeDatabases);

const RANKING = { preset: [], engine: {}, presets: BUILT_IN_PRESETS };

/** A data folder, and a folder for files. */
async function folders() {
  const files = temporaryFolder();
  const dataDir = join(files, "data");
  mkdirSync(dataDir);
  const [, url] = await databaseOptions(dataDir);
  const postgres =
    url === undefined ? undefined : { url, connections: 2, timeout: 10_000, password: "" };
  const place: Place = { dataDir, durability: "full", postgres };
  return {
    ...{ place, dataDir },
    file(name: string, content: string | Uint8Array | object) {
      const path = join(files, name);
      mkdirSync(join(path, ".."), { recursive: true });
      const isText = typeof content === "string" || content instanceof Uint8Array;
      writeFileSync(path, isText ? content : JSON.stringify(content));
      return path;
    },
    path: (name: string) => join(files, name),
    take: (source: Source, path: string, options: Partial<ImportOptions> = {}) =>
      importFrom(source, path, {
        ...{ place, agent: "default", ranking: RANKING, conflicts: undefined },
        ...{ isDryRun: false, skipsWrong: false, ...options },
      }),
    memories: (agent = "default") =>
      readStorage(place, agent, ({ nodes }) =>
        nodes.list({}, 10_000).sort((a, b) => a.sequence - b.sequence),
      ),
  };
}

const talk = (id: string, texts: readonly string[]) => ({
  ...{ uuid: id, name: id, created_at: "2026-01-02T03:04:05Z" },
  chat_messages: texts.map((text, at) => ({ uuid: `${id}-${at}`, sender: "human", text })),
});

test("an import can be told first, and made twice", async () => {
  const { take, file, memories, place } = await folders();
  // A database of PostgreSQL has its tables once an agent was there.
  withStorage(place, "other", () => {});
  const talks = [
    talk("one", ["I am allergic to walnuts.", "Thanks!"]),
    talk("two", ["The pier opens at ten."]),
  ];
  const path = file("conversations.json", talks);
  const [told, ...lines] = await take("claude", path, { isDryRun: true });
  expect(told).toBe(
    "Would store memories: 2 (1 preference, 1 episode), conversations or other runs: 2, links: 0. Memories that are there already: 0.",
  );
  expect(lines).toEqual([
    "For example:",
    "  preference, 2026-01-02: user: I am allergic to walnuts.",
    "  episode, 2026-01-02: user: The pier opens at ten.",
    "Not taken:",
    "  1 times a message that says nothing, such as thanks (first: conversations.json, conversation 1)",
  ]);
  // Nothing is stored, and there is no agent.
  await expect(async () => memories()).rejects.toThrow(/no agent/);
  const [done] = await take("claude", path);
  expect(done).toBe("Memories: 2 added, 0 replaced, 0 as before.");
  expect(memories()).toMatchObject([
    { id: "one-0", session_id: "one", provenance_source: "claude:user", type: "preference" },
    { id: "two-0", session_id: "two", created_at: "2026-01-02T03:04:05.000Z" },
  ]);
  // A conversation that went on: what is new is added, and nothing twice.
  const longer = file("later.json", [...talks, talk("three", ["We sail on Sundays."])]);
  expect((await take("claude", longer))[0]).toBe("Memories: 1 added, 0 replaced, 2 as before.");
  expect((await take("claude", longer, { isDryRun: true }))[0]).toMatch(
    /Would store memories: 0, .* there already: 3\./,
  );
  expect(memories()).toHaveLength(3);
});

test("damaged parts stop an import, or are left out if it is told so", async () => {
  const { take, file, memories } = await folders();
  const path = file(
    "c.json",
    `[${JSON.stringify(talk("one", ["The pier opens."]))}, {"x": 1}, {"uuid": "cut", "chat`,
  );
  await expect(take("claude", path)).rejects.toThrow(
    "c.json, conversation 2: is a conversation without messages (chat_messages). Nothing is stored. --skip-wrong imports the rest.",
  );
  expect(memories()).toEqual([]);
  const told = await take("claude", path, { isDryRun: true });
  expect(told.slice(-3)).toEqual([
    "Wrong:",
    "  c.json, conversation 2: is a conversation without messages (chat_messages)",
    "  c.json, entry 3: is cut off",
  ]);
  expect((await take("claude", path, { skipsWrong: true }))[0]).toMatch(/^Memories: 1 added/);
  await expect(take("zep", path)).rejects.toThrow(/c\.json: .*looks like a file of claude/);
});

test("a folder is read as a whole, without hidden files and links", async () => {
  const { take, file, path, memories } = await folders();
  file("export/conversations.json", [talk("one", ["The pier opens."])]);
  file("export/memories.json", [{ conversations_memory: "Sails on Sundays." }]);
  file("export/.trash/conversations.json", [talk("gone", ["The trash."])]);
  file("export/users.json", [{ uuid: "u" }]);
  file("secret/conversations.json", [talk("secret", ["A secret."])]);
  symlinkSync(path("secret"), path("export/linked"));
  symlinkSync(path("secret/conversations.json"), path("export/conversations-2.json"));
  await take("claude", path("export"));
  expect(
    memories().map(({ content_body, content_title }) => content_body ?? content_title),
  ).toEqual(["The pier opens.", "Sails on Sundays."]);
  await expect(take("chatgpt", path("secret/none"))).rejects.toThrow(/There is no file or folder/);
  file("empty/x.txt", "");
  await expect(take("chatgpt", path("empty"))).rejects.toThrow(/holds no file to read/);
});

test("files may be in other encodings, and are told if they are none", async () => {
  const { take, file, memories } = await folders();
  const lines = '{"text": "Das Café in Łódź öffnet."}\n';
  const utf16 = file("a.jsonl", Buffer.from(`\ufeff${lines}`, "utf16le"));
  await take("jsonl", utf16);
  await take(
    "jsonl",
    file("b.jsonl", Buffer.from('{"text": "Der Kaffee kostet 3 \x80."}', "latin1")),
  );
  await take("markdown", file("c.md", Buffer.from("Über Bergen.\n", "latin1")));
  expect(memories().map(({ content_title }) => content_title)).toEqual([
    "Das Café in Łódź öffnet.",
    "Der Kaffee kostet 3 €.",
    "Über Bergen.",
  ]);
  const noise = file("e.json", Buffer.from(Array.from({ length: 400 }, (_, at) => (at * 7) % 256)));
  await expect(take("claude", noise)).rejects.toThrow(/e\.json: This is no text/);
  await expect(take("claude", file("f.json", ""))).rejects.toThrow(/f\.json: The file is empty/);
});

test("an archive is read without unpacking it", async () => {
  const { take, file, memories } = await folders();
  const json = (value: unknown) => strToU8(JSON.stringify(value));
  const mtime = new Date(2024, 4, 1, 12, 30, 8);
  const zip = zipSync({
    "data/conversations.json": [json([talk("one", ["The café in Łódź opens."])]), { level: 9 }],
    "data/memories.json": [
      json([{ conversations_memory: "Sails on Sundays." }]),
      { level: 0, mtime },
    ],
    "__MACOSX/._conversations.json": json([talk("beside", ["Beside."])]),
    "data/users.json": json([{ uuid: "u" }]),
  });
  await take("claude", file("export.zip", zip));
  expect(
    memories().map(({ content_body, content_title }) => content_body ?? content_title),
  ).toEqual(["The café in Łódź opens.", "Sails on Sundays."]);
  // A memory without a time gets that of its file.
  expect(Date.parse(memories()[1]!.created_at!)).toBe(mtime.getTime());
  await expect(take("gemini", file("export.zip", zip))).rejects.toThrow(/holds no file to read/);
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const entry = zip.findIndex(
    (_, at) => at + 4 < zip.length && view.getUint32(at, true) === 0x02014b50,
  );
  for (const [what, change, why] of [
    ["cut off", () => zip.slice(0, -30), /damaged or cut off/],
    ["with a password", () => zip.with(entry + 8, zip[entry + 8]! | 1), /has a password/],
    ["of another method", () => zip.with(entry + 10, 12), /unusual way/],
    ["with a place beyond its end", () => zip.with(entry + 45, 0x7f), /damaged or cut off/],
    [
      "with other bytes",
      () => zip.with(70, zip[70]! ^ 0xff).with(71, 0xff),
      /damaged|no JSON|not JSON|cut off/,
    ],
  ] as const)
    await expect(take("claude", file("bad.zip", change())), what).rejects.toThrow(why);
});

test("an archive that would fill the memory is refused", async () => {
  const { take, file } = await folders();
  const zip = zipSync({ "a.jsonl": new Uint8Array(2 ** 20) });
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const entry = zip.findIndex(
    (_, at) => at + 4 < zip.length && view.getUint32(at, true) === 0x02014b50,
  );
  // The same megabyte, two thousand times.
  const end = zip.length - 22;
  const directory = zip.slice(entry, end);
  const bomb = new Uint8Array(entry + directory.length * 2_000 + 22);
  bomb.set(zip.subarray(0, entry));
  for (let at = 0; at < 2_000; at += 1) bomb.set(directory, entry + at * directory.length);
  bomb.set(zip.subarray(end), bomb.length - 22);
  new DataView(bomb.buffer).setUint16(bomb.length - 12, 2_000, true);
  await expect(take("jsonl", file("bomb.zip", bomb))).rejects.toThrow(/more than 1 GB/);
});

test("a file larger than a piece is read conversation by conversation", async () => {
  const { take, path, memories } = await folders();
  const large = path("large.json");
  const stream = createWriteStream(large);
  const count = amount(4_000, 400);
  const filler = "é ".repeat(4_000);
  stream.write("[");
  for (let at = 0; at < count; at += 1) {
    const { chat_messages, ...rest } = talk(`t${at}`, [`Pier ${at} opens at ten.`]);
    const ignored = { ...chat_messages[0], content: [{ type: "tool_use", input: filler }] };
    const one = { ...rest, chat_messages: [...chat_messages, ignored] };
    stream.write(`${at === 0 ? "" : ","}${JSON.stringify(one)}`);
  }
  stream.end("]");
  await finished(stream);
  await take("claude", large);
  expect(memories()).toHaveLength(count);
});

test("what a URL answers is imported, within bounds", async () => {
  const { take, memories } = await folders();
  const server = createServer((request, response) => {
    if (request.url === "/facts.jsonl?key=secret") response.end('{"text": "The pier opens."}');
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await take("jsonl", `${base}/facts.jsonl?key=secret`);
  expect(memories()).toHaveLength(1);
  await expect(take("jsonl", `${base}/none?key=secret`)).rejects.toThrow(
    `${base}/none could not be read: it answered with status 404.`,
  );
  for (const url of ["ftp://x/y", "file:///etc/passwd", "http://"])
    await expect(take("jsonl", url), url).rejects.toThrow(/must be a file, a folder, or a URL/);
  // Credentials are in no message.
  for (const url of [
    "http://mira:hidden@127.0.0.1:1/x",
    "ftp://mira:hidden@x/y",
    "http://mira:hidden@",
  ])
    await expect(take("jsonl", url), url).rejects.toThrow(/^(?!.*hidden)/s);
  await expect(take("jsonl", "http://mira:hidden@127.0.0.1:1/x")).rejects.toThrow(
    "The URL of 127.0.0.1:1 names a user or a password",
  );
});

describe("an import of Markdown", () => {
  const texts = (rows: readonly { content_title: string; content_body: string | null }[]) =>
    rows.map(({ content_title, content_body }) => content_body ?? content_title).sort();

  test("touches no memory of another folder, URL or input of the same name", async () => {
    const { take, file, path, memories, dataDir } = await folders();
    file("projA/docs/a.md", "The pier opens at nine.");
    file("projB/docs/a.md", "Bees live in the chapel.");
    await take("markdown", path("projA/docs"));
    await take("markdown", path("projB/docs"), { conflicts: "overwrite" });
    await take("markdown", path("projB/docs/a.md"), { conflicts: "overwrite" });
    const both = ["Bees live in the chapel.", "The pier opens at nine."];
    expect(texts(memories())).toEqual(both);
    const server = createServer((request, response) => response.end(`Answer to ${request.url}.`));
    server.listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const url of ["/x/a.md", "/y/a.md", "/y/a.md?page=2"])
      await take("markdown", base + url, { conflicts: "overwrite" });
    const answered = ["/x/a.md", "/y/a.md", "/y/a.md?page=2"].map((url) => `Answer to ${url}.`);
    expect(texts(memories())).toEqual([...answered, ...both].sort());
    // The secret of a URL is no part of its name: this is the same file.
    await take("markdown", `${base}/x/a.md?token=1`, { conflicts: "overwrite" });
    expect(memories()).toHaveLength(5);
    expect(JSON.stringify(memories())).toContain("Answer to /x/a.md?token=1.");
    const place = await databaseOptions(dataDir);
    for (const input of ["Tea is green.", "The boat lies in Oban.", "Tea is green."]) {
      const args = ["import", "-", "--from", "markdown", "--data-dir", dataDir, ...place];
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { input });
      expect(status, String(stderr)).toBe(0);
    }
    expect(memories()).toHaveLength(7);
  });

  test("deletes memories of its own file only if it overwrites", async () => {
    const { take, file, path, memories } = await folders();
    file("docs/a.md", "# Garden\n\nSow beans in May.\n\n# Car\n\nThe brakes are new.\n");
    await take("markdown", path("docs"));
    file("docs/a.md", "# Car\n\nThe brakes are new.\n");
    for (const conflicts of ["skip", "newer"] as const) {
      await take("markdown", path("docs"), { conflicts });
      expect(memories()).toHaveLength(2);
    }
    await take("markdown", path("docs"), { conflicts: "overwrite" });
    expect(texts(memories())).toEqual(["The brakes are new."]);
  });
});

describe("while a server runs", () => {
  test("what is imported is found, and so is what a note says now", async () => {
    const { take, file, path, dataDir } = await folders();
    const { ask } = await start(dataDir);
    await ask("POST /remember", { text: "The library closes at six." });
    await take("jsonl", file("a.jsonl", '{"text": "Mira keeps her bees behind the chapel."}'));
    const first = async (query: string) =>
      (await ask("POST /search", { query })).body.data[0]?.content_title;
    expect(await first("Where are Mira's bees?")).toBe("Mira keeps her bees behind the chapel.");
    file("vault/boat.md", "The boat lies in Oban.");
    await take("markdown", path("vault"));
    expect(await first("Where does the boat lie?")).toBe("The boat lies in Oban.");
    file("vault/boat.md", "The boat lies in Mallaig.");
    await take("markdown", path("vault"));
    expect(await first("Where does the boat lie?")).toBe("The boat lies in Mallaig.");
  });
});

test("memories move to mem0's form and back", async () => {
  const { take, file, path, place, memories } = await folders();
  const one = {
    ...{ id: "m1", memory: "Mira eats no dairy.", user_id: "mira", categories: ["food"] },
    ...{
      metadata: { via: "chat" },
      created_at: "2026-01-02T03:04:05Z",
      updated_at: "2026-01-03T00:00:00Z",
    },
  };
  await take("mem0", file("in.json", { results: [one] }));
  expect(exportToMem0(place, "default", path("out.json"), {})).toBe(1);
  expect(JSON.parse(readFileSync(path("out.json"), "utf8"))).toEqual({
    results: [
      {
        ...one,
        ...{ created_at: "2026-01-02T03:04:05.000Z", updated_at: "2026-01-03T00:00:00.000Z" },
      },
    ],
  });
  await take("mem0", path("out.json"), { agent: "second" });
  const told = (agent: string) =>
    memories(agent).map(({ sequence: _, ...row }) => ({ ...row, embedding_model: null }));
  expect(told("second")).toEqual(told("default"));
});

test("the program has the commands, and refuses what does not fit", async () => {
  const { file, path, dataDir } = await folders();
  const place = await databaseOptions(dataDir);
  const run = (...args: string[]) => {
    const all = [PROGRAM, ...args, "--data-dir", dataDir, ...place];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: "utf8" });
    return { status, out: stdout.trim(), error: stderr.trim() };
  };
  file(
    "memory.jsonl",
    '{"type":"entity","name":"Ada","entityType":"person","observations":["Sails"]}\n',
  );
  expect(run("import", path("memory.jsonl"), "--from", "mcp-memory")).toMatchObject({ status: 0 });
  expect(run("export", "--to", "markdown", path("notes")).out).toBe(
    `1 memories are in ${path("notes")}.`,
  );
  expect(readFileSync(path("notes/person/Ada (person).md"), "utf8")).toContain("\nSails\n");
  run("export", path("own.jsonl"));
  expect(run("import", path("notes"), "--from", "markdown").out).toMatch(
    /^0 added, 0 changed, 0 gone, 1 as/,
  );
  for (const [args, why] of [
    [["export", "--to", "markdown"], /needs a folder/],
    [["export", "--to", "markdown", path("notes")], /holds files/],
    [["import", path("memory.jsonl"), "--dry-run"], /need --from/],
    [["import", path("memory.jsonl"), "--from", "mem1"], /Allowed choices/],
    [["import", path("memory.jsonl"), "--from", "mem0"], /--from mcp-memory/],
    [["import", path("memory.jsonl")], /Line 1: .* need --from/],
    [["import", path("notes")], /is a folder.* need --from/],
    [["import", path("own.jsonl"), "--from", "jsonl"], /without --from/],
    [["import", path("own.jsonl"), "--from", "mem0"], /without --from/],
    [["watch", path("none")], /There is no folder/],
    [["watch", path("notes"), "--format", "rtf"], /Allowed choices/],
  ] as const) {
    const { status, error } = run(...args);
    expect(status, args.join(" ")).toBe(1);
    expect(error, args.join(" ")).toMatch(why);
  }
});

test("an export to Markdown is read by another agent", async () => {
  const { take, file, path, place, memories } = await folders();
  await take(
    "claude",
    file("c.json", [talk("one", ["I am allergic to walnuts.", "The pier opens at ten."])]),
  );
  exportMarkdown(place, "default", path("out"), { ranking: RANKING });
  await take("markdown", path("out"), { agent: "second" });
  const told = (agent: string) =>
    memories(agent)
      .map(({ id, content_title, type, created_at, session_id }) => [
        id,
        content_title,
        type,
        created_at,
        session_id,
      ])
      .sort();
  expect(told("second")).toEqual(told("default"));
});
