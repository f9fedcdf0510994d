// MCP: the tools over standard input and output and over HTTP, through the official client, the
// official inspector and an independent client; several processes at once; and installation.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { parse } from "jsonc-parser";
import { tokensOf } from "nous-memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { earlyAnswer, VERSIONS } from "../../js/server/src/mcp/early.ts";
import {
  CLIENT_NAMES,
  CLIENTS,
  type ClientName,
  fileOf,
  installationOf,
  type Where,
} from "../../js/server/src/mcp/install.ts";
import { testInFull } from "../support/full.ts";
import { keyIn } from "./support/keys.ts";
import { databaseOptions } from "./support/on-postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { server, client } = sharedServer();

interface Said {
  text: string;
  isError: boolean;
  data: Record<string, unknown>;
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<{ mcp: Client; call(name: string, given?: object): Promise<Said> }> {
  const mcp = new Client({ name: "test", version: "1" });
  await mcp.connect(transport);
  onTestFinished(() => mcp.close());
  const call = async (name: string, given: object = {}) => {
    const answer = await mcp.callTool({ name, arguments: given as Record<string, unknown> });
    const [content] = answer.content as { type: string; text: string }[];
    return {
      text: content!.text,
      isError: answer.isError === true,
      data: (answer.structuredContent ?? {}) as Record<string, unknown>,
    };
  };
  return { mcp, call };
}

const overHttp = (agent: string, tools = "?tools=all") =>
  connected(
    new StreamableHTTPClientTransport(new URL(`${server().url}/mcp${tools}`), {
      requestInit: { headers: { "x-nous-agent": agent } },
    }),
  );

const stdio = (folder: string, ...more: string[]) => stdioWith({}, folder, ...more);

async function stdioWith(env: Record<string, string>, folder: string, ...more: string[]) {
  const place = ["--data-dir", folder, ...(await databaseOptions(folder))];
  return new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", ...place, ...more],
    env,
    stderr: "ignore",
  });
}

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "x", version: "1" },
};

describe("the tools", () => {
  test("are ten, each with a description, a schema and hints", async () => {
    const { mcp } = await overHttp("tools");
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...["conflicts", "context", "explain", "forget", "history", "link"],
      ...["recall", "remember", "timeline", "update"],
    ]);
    for (const { description, inputSchema, annotations } of tools) {
      expect(description!.length).toBeGreaterThan(30);
      expect(inputSchema.type).toBe("object");
      expect(annotations?.readOnlyHint).toBeTypeOf("boolean");
    }
    expect(mcp.getInstructions()).toContain("recall");
    expect((await mcp.listPrompts()).prompts.map(({ name }) => name)).toEqual(["use_memory"]);
    const { messages } = await mcp.getPrompt({ name: "use_memory" });
    expect(JSON.stringify(messages)).toContain("remember");
  });

  test("remember, recall, explain, update, link, and forget a memory", async () => {
    const { mcp, call } = await overHttp("whole life");
    const made = await call("remember", { text: "Mira eats no dairy.", user: "mira" });
    const [{ id }] = made.data.stored as [{ id: string }];
    expect(made.text).toBe(`Stored [${id}] as preference: Mira eats no dairy.`);
    const found = await call("recall", { query: "What does Mira not eat?" });
    expect(found.text).toMatch(/^- \[n_\w+\] Mira eats no dairy\. \(noted on .+, today\) · \d+ %$/);
    expect((await call("remember", { text: found.text, user: "mira" })).text).toContain(
      "Known already",
    );
    await call("remember", { text: "Mira likes olives.", user: "mira" });
    // By a faint guess.
    const followed = await call("recall", { query: "What does Mira not eat?" });
    expect(followed.text).toMatch(
      /^- .* no dairy.*\n- .* olives\. \(later than the line above\) \(/,
    );
    const several = await call("recall", { query: "What does Mira eat and like?" });
    expect(several.text.split("\n").length).toBeGreaterThan(1);
    const again = await call("remember", { text: several.text, user: "mira" });
    expect(again.text).not.toContain("Stored");
    const context = await call("context", { input: "What should I cook for Mira?" });
    expect(context.text).toContain("no dairy");
    const why = await call("explain", { query: "What does Mira not eat?", id });
    expect(why.text).toContain(`[${id}] Mira eats no dairy. is number 1 with`);
    const changed = await call("update", { id, title: "Mira eats no dairy and no eggs." });
    expect(changed.text).toContain("no eggs");
    const [{ id: other }] = (
      await call("remember", { text: "Mira eats eggs again.", user: "mira" })
    ).data.stored as [{ id: string }];
    expect((await call("link", { from: other, to: id, relation: "supersedes" })).isError).toBe(
      false,
    );
    const profile = await mcp.readResource({ uri: "nous://profile" });
    expect(JSON.stringify(profile)).toContain("no eggs");
    const memory = await mcp.readResource({ uri: `nous://memory/${id}` });
    expect(JSON.parse((memory.contents[0] as { text: string }).text)).toMatchObject({
      id,
      user: "mira",
    });
    expect((await call("forget", { id })).text).toContain("would be deleted");
    expect((await call("forget", { id, confirm: true })).text).toBe("1 deleted.");
    expect((await call("explain", { query: "x", id })).isError).toBe(true);
  });

  test("explain shows words and contributions, and ranks beyond the first hundred", async () => {
    const { call } = await overHttp("explained");
    const ask = async (path: string, body: object) =>
      expect((await server().ask(path, body, { "x-nous-agent": "explained" })).status).toBe(200);
    const items = Array.from({ length: 130 }, (_, place) => ({
      ...{ id: `f${place}`, type: "note", content_title: `The ferry of pier ${place} is late` },
      created_at: new Date(Date.UTC(2025, 0, 1 + 2 * place)),
    }));
    for (const part of [items.slice(0, 90), items.slice(90)])
      await ask("POST /nodes/batch", { items: part });
    const query = "Which boat of pier 7 was late?";
    const { text, data } = await call("explain", { query, id: "f7" });
    expect(text).toMatch(/^\[f7\] The ferry of pier 7 is late is number 1 with \d+ %/);
    expect(text).toMatch(/^Words: .*boat ~ ferry 0\.\d\d/m);
    expect(text).toContain("Passage: The ferry of pier 7 is late");
    const lines = Array.from(text.matchAll(/^\w+ \S+ · \S+ = ([+−])(\d+\.\d\d)$/gm));
    expect(lines.length).toBeGreaterThan(3);
    const added = lines.map(([, sign, size]) => Number(size) * (sign === "−" ? -1 : 1));
    const sizes = added.map(Math.abs);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    const [, rest, sum] = /^All others ([+−]\S+)\. Sum ([+−]\S+)\.$/m.exec(text)!;
    const number = (written: string) => Number(written.replace("−", "-"));
    expect(added.reduce((all, one) => all + one, number(rest!))).toBeCloseTo(number(sum!), 0);
    expect(data.evidence).toHaveLength(lines.length);

    const ranks = [];
    for (const id of ["f129", "f64", "f1", "f2"])
      ranks.push((await call("explain", { query, id })).data.rank);
    expect(new Set(ranks).size).toBe(4);
    const far = await call("explain", { query, id: "f129", max_tokens: 60 });
    expect(tokensOf(far.text)).toBeLessThanOrEqual(60);
    const none = await call("explain", { query: "xylophone", id: "f1" });
    expect(none.text).toContain("nothing connects it with the question");
    const other = await call("explain", { query, id: "f1", user: "mira" });
    expect(other.text).toContain("not among the memories of this user");
    expect(other.data).toMatchObject({ rank: null, absent: "filtered" });
    const hidden = await call("explain", { query, id: "f_none" });
    expect(hidden).toMatchObject({ isError: true, text: expect.stringContaining("No memory") });
  });

  test("list what happened in a time, and conflicts that wait", async () => {
    const { call } = await overHttp("times");
    await call("remember", { text: "Standup is at ten.", event_time: "2026-03-02" });
    await call("remember", { text: "The roof was repaired.", event_time: "2026-05-02" });
    const spring = await call("timeline", { from: "2026-05-01", to: "2026-05-31" });
    expect(spring.text).toContain("roof");
    expect(spring.text).not.toContain("Standup");
    await call("remember", { text: "Standup is at ten no longer, changed to nine." });
    const { text, data } = await call("conflicts");
    expect(text).toContain("Standup is at ten.");
    const [conflict_id] = data.conflicts as [string];
    const resolved = await call("conflicts", { conflict_id, resolution: "new_is_current" });
    expect(resolved.text).toBe("Resolved: new_is_current.");
  });

  test("tell what a new memory likely replaces, and confirm it by its two memories", async () => {
    const { call } = await overHttp("replacing");
    await call("remember", { text: "Standup is at half past nine." });
    const { text, data } = await call("remember", { text: "Standup has moved to ten." });
    expect(text).toMatch(/It likely replaces \[n_.*\] Standup is at half past nine\. \(\d+ %\)/);
    const [{ id: new_id, replaces }] = data.stored as [{ id: string; replaces: { id: string }[] }];
    const pair = { old_id: replaces[0]!.id, new_id };
    const half = await call("conflicts", { old_id: pair.old_id, resolution: "keep_both" });
    expect(half).toMatchObject({ isError: true });
    const done = await call("conflicts", { ...pair, resolution: "new_is_current" });
    expect(done.text).toBe("Resolved: new_is_current.");
    expect((await call("conflicts")).text).toBe("No conflicts wait.");
  });

  test("say that the memory does not know", async () => {
    const { call } = await overHttp("unknown");
    expect((await call("recall", { query: "Who won?" })).text).toBe(
      "The memory knows nothing about it.",
    );
    await call("remember", { text: "The garden gate is green." });
    await call("remember", { text: "The ferry to Bergen leaves at nine." });
    const asked = async (query: string) => {
      const { text, data } = await call("recall", { query });
      return { text, knows: data.knows, answerable: data.answerable };
    };
    expect(await asked("When does the ferry to Bergen leave?")).toEqual({
      ...{ knows: "yes", answerable: true },
      text: expect.stringMatching(/^- /),
    });
    const unknown = await asked("How much did the last invoice of the plumber cost?");
    expect(unknown).toMatchObject({ answerable: false });
    expect(unknown.text).toMatch(/^The memory (probably does not know|knows nothing)/);
    expect(await asked("Who painted the portrait of the king in 1780?")).toEqual({
      ...{ knows: "perhaps", answerable: false },
      text: expect.stringMatching(/^The memory may know \(\d+ %\):/),
    });
  });

  test("keep every answer within its tokens", async () => {
    const { call } = await overHttp("budget");
    const own = client();
    const ask = (path: string, body: object) =>
      server().ask(path, body, { "x-nous-agent": "budget" });
    for (let place = 0; place < 60; place++)
      await ask("POST /nodes", {
        type: "fact",
        content_title: `Harbour note ${place}`,
        content_body: "A ferry leaves. ".repeat(20),
      });
    expect(own.agent).toBeDefined();
    for (const max_tokens of [50, 200, 800]) {
      for (const [name, given] of [
        ["recall", { query: "harbour notes", limit: 50 }],
        ["timeline", { limit: 60 }],
        ["context", { input: "harbour notes" }],
      ] as const) {
        const { text } = await call(name, { ...given, max_tokens });
        expect(tokensOf(text), name).toBeLessThanOrEqual(max_tokens);
      }
    }
  });

  /** Wrong arguments: each is answered by a sentence, and nothing is stored. */
  const WRONG: readonly [tool: string, given: object][] = [
    ["remember", {}],
    ["remember", { text: "" }],
    ["remember", { text: " " }],
    ["remember", { text: 7 }],
    ["remember", { text: "a", type: "" }],
    ["remember", { text: "a", importance: 3 }],
    ["remember", { text: "a", event_time: "yesterday" }],
    ["remember", { text: "a", expires_at: "soon" }],
    ["recall", {}],
    ["recall", { query: "" }],
    ["recall", { query: ["a"] }],
    ["recall", { query: "a", limit: 0 }],
    ["recall", { query: "a", limit: 1_000 }],
    ["recall", { query: "a", max_tokens: 1 }],
    ["recall", { query: "a", tags: [] }],
    ["context", {}],
    ["context", { input: 1 }],
    ["context", { input: "a", max_tokens: -1 }],
    ["update", {}],
    ["update", { id: "n_none" }],
    ["update", { id: "n_none", title: "x" }],
    ["update", { id: "n_none", event_time: "x" }],
    ["forget", {}],
    ["forget", { confirm: true }],
    ["forget", { id: "" }],
    ["forget", { tags: [] }],
    ["link", { from: "n_a" }],
    ["link", { from: "n_a", to: "n_b", relation: "loves" }],
    ["link", { from: "n_a", to: "n_b", relation: "causes" }],
    ["explain", { query: "a" }],
    ["explain", { query: "a", id: "n_none" }],
    ["explain", { query: "", id: "n_none" }],
    ["timeline", { from: "spring" }],
    ["timeline", { limit: 0 }],
    ["timeline", { order: "up" }],
    ["conflicts", { conflict_id: "q_1" }],
    ["conflicts", { resolution: "new_is_current" }],
    ["conflicts", { conflict_id: "q_1", resolution: "new_is_current" }],
    ["conflicts", { conflict_id: "q_1", resolution: "burn" }],
  ];

  test(`refuse ${WRONG.length} calls with wrong arguments by sentences, and store nothing`, async () => {
    const { call } = await overHttp("wrong");
    for (const [tool, given] of WRONG) {
      const { isError, text } = await call(tool, given);
      expect([isError, text.length > 10], `${tool} ${JSON.stringify(given)}: ${text}`).toEqual([
        true,
        true,
      ]);
    }
    const { body } = await server().ask("GET /nodes", undefined, { "x-nous-agent": "wrong" });
    expect(body.count).toBe(0);
  });

  test("refuse an argument that they do not have, by a sentence with the nearest one", async () => {
    const { mcp, call } = await overHttp("strict");
    const { tools } = await mcp.listTools();
    for (const { name, inputSchema } of tools) {
      const { isError, text } = await call(name, { tabs: ["a"] });
      expect([isError, text], name).toEqual([
        true,
        expect.stringMatching(new RegExp(`${name} has no argument tabs: (did|its)`)),
      ]);
      expect(inputSchema.additionalProperties, name).toBe(false);
    }
    for (const [name, given, sentence] of [
      ["recall", { query: "a", tabs: ["a"] }, "recall has no argument tabs: did you mean tags?"],
      ["recall", { query: "a", usr: "m" }, "recall has no argument usr: did you mean user?"],
      ["recall", { query: "a", top_k: 3 }, "recall has no argument top_k: did you mean limit?"],
      ["context", { query: "a" }, "context has no argument query: did you mean input?"],
      ["remember", { content: "a" }, "remember has no argument content: did you mean text?"],
      ["forget", { id: "n_a", force: true }, "forget has no argument force: its arguments are id,"],
      ["conflicts", { limit: 3, staus: "x" }, "no argument limit: its arguments are conflict_id"],
    ] as const)
      expect((await call(name, given)).text).toContain(sentence);
    const { body } = await server().ask("GET /nodes", undefined, { "x-nous-agent": "strict" });
    expect(body.count).toBe(0);
  });

  test("remember keeps within its tokens, and says how many memories it stored", async () => {
    const { call } = await overHttp("long answer");
    const text = Array.from(
      { length: 60 },
      (_, place) =>
        `# Chapter ${place}\n\n${`Ferry ${place} leaves pier ${place * 7}. `.repeat(40)}`,
    ).join("\n\n");
    const { text: said, data } = await call("remember", { text, max_tokens: 50 });
    expect(tokensOf(said)).toBeLessThanOrEqual(50);
    expect(said).toMatch(/… \d+ more: raise max_tokens to see them\.$/);
    const [stored, count] = [data.stored as object[], data.count as number];
    expect(count).toBeGreaterThan(20);
    expect(said.split("\n")).toHaveLength(stored.length + 1);
    const { text: whole } = await call("remember", { text, max_tokens: 8_000 });
    expect(whole.split("\n")).toHaveLength(count);
    expect(whole).toContain("Known already");
  });
});

describe("the few tools", () => {
  const few = (agent: string) => overHttp(agent, "");
  /** Remembers a text, and returns the ids of its memory and of the one that it seems to replace. */
  const changed = async (call: (name: string, given: object) => Promise<Said>, text: string) => {
    const { text: said, data } = await call("remember", { text });
    const [{ id, replaces = [] }] = data.stored as [{ id: string; replaces?: { id: string }[] }];
    return { said, id, older: replaces[0]?.id };
  };

  test("are four unless a client asks for all, and take the arguments that a model uses", async () => {
    const { mcp } = await few("few");
    const { tools } = await mcp.listTools();
    const asked = await overHttp("few", "?tools=few");
    expect((await asked.mcp.listTools()).tools).toEqual(tools);
    expect(
      tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties!)]),
    ).toEqual([
      ["remember", ["text", "type", "tags", "user", "event_time"]],
      ["recall", ["query", "limit", "user", "tags"]],
      ["update", ["id", "title", "text", "type", "tags", "event_time", "replaces", "keeps"]],
      ["forget", ["id", "user", "tags", "confirm"]],
    ]);
    const all = (await (await overHttp("few")).mcp.listTools()).tools;
    for (const { name, description } of tools) {
      expect(description).toMatch(/^Call it /);
      expect(description).toMatch(/\. Do not call it /);
      expect(all.find((tool) => tool.name === name)!.description).toBe(description);
      // A model has no other tool to follow what is said.
      for (const { name: other } of all)
        if (!tools.some((tool) => tool.name === other))
          expect(`${description}${mcp.getInstructions()}`).not.toContain(`\`${other}\``);
    }
  });

  test("take fewer than 1,200 tokens with all that a model reads of them", async () => {
    const { mcp } = await few("budget of few");
    const read = mcp.getInstructions() + JSON.stringify(await mcp.listTools());
    expect(tokensOf(read)).toBeLessThan(1_200);
  });

  test("follow a correction: the new memory replaces the older one, or both hold", async () => {
    const { call } = await few("corrections");
    await call("remember", { text: "Standup is at half past nine." });
    const ten = await changed(call, "Standup has moved to ten.");
    expect(ten.said).toContain(
      `If so, call update with id ${ten.id} and replaces ${ten.older}; ` +
        `if both hold, with keeps ${ten.older} instead.`,
    );
    const done = await call("update", { id: ten.id, replaces: ten.older });
    expect(done).toMatchObject({ isError: false, data: { id: ten.id } });
    expect(done.text).toBe(`Noted: [${ten.id}] replaces [${ten.older}].`);
    const agent = { "x-nous-agent": "corrections" };
    const older = async (id: string) =>
      (await server().ask("POST /facts/history", { id }, agent)).body.data[0];
    expect(await older(ten.id)).toMatchObject({
      replaced_by: { id: ten.id, grade: "sure", probability: 1 },
    });
    // Said again, it changes nothing.
    expect((await call("update", { id: ten.id, replaces: ten.older })).text).toBe(done.text);
    const edges = await server().ask(`GET /edges?node_id=${ten.id}`, undefined, agent);
    expect(edges.body.data).toMatchObject([{ type: "supersedes" }]);

    await call("remember", { text: "The rent of the studio is 900 euros." });
    const rent = await changed(call, "The rent of the studio is 1,000 euros now.");
    expect(rent.older).toBeDefined();
    const both = await call("update", { id: rent.id, keeps: rent.older });
    expect(both.text).toBe(`Noted: [${rent.id}] holds beside [${rent.older}].`);
    expect(await older(rent.older!)).toMatchObject({ id: rent.older, replaced_by: null });
    // The user changes their mind.
    await call("update", { id: rent.id, replaces: rent.older });
    expect(await older(rent.id)).toMatchObject({ id: rent.older, replaced_by: { id: rent.id } });
    await call("update", { id: rent.id, keeps: rent.older });
    expect(await older(rent.id)).toMatchObject({ id: rent.id, replaced_by: null });
  });

  test("follow a correction back: what held before holds again, or both do", async () => {
    const { call } = await few("back");
    const AGENT = { "x-nous-agent": "back" };
    const { id: graz } = await changed(call, "Mira lives in Graz.");
    const linz = await changed(call, "Mira moved to Linz in May.");
    expect(linz.older).toBe(graz);
    const states = async () => {
      const found = [];
      for (const id of [graz, linz.id])
        found.push((await server().ask(`GET /nodes/${id}?recall=false`, undefined, AGENT)).body);
      return found.map(({ state_lifecycle }) => state_lifecycle);
    };
    await call("update", { id: linz.id, replaces: graz });
    for (let times = 0; times < 2; times++) {
      await call("update", { id: graz, replaces: linz.id });
      expect(await states()).toEqual(["ACTIVE", "DORMANT"]);
      await call("update", { id: linz.id, replaces: graz });
      expect(await states()).toEqual(["DORMANT", "ACTIVE"]);
    }
    await call("update", { id: graz, keeps: linz.id });
    expect(await states()).toEqual(["ACTIVE", "ACTIVE"]);
    const edges = await server().ask(`GET /edges?node_id=${graz}&direction=both`, undefined, AGENT);
    expect(edges.body.data).toMatchObject([{ type: "relates_to", source_id: graz }]);
  });

  test.each([
    ["--ranking", "signals"],
    ["--compat", "hynous"],
  ])("%s %s: follow a correction, and tell no profile of another user", async (...options) => {
    const { url } = await start(temporaryFolder(), options);
    const { call } = await connected(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const nothing = "The memory knows nothing about it.";
    const query = "what may I not eat?";
    expect((await call("recall", { query })).text).toBe(nothing);
    const nuts = await changed(call, "I am allergic to walnuts.");
    const { data } = await call("remember", { text: "I am allergic to dust.", user: "mira" });
    expect(data).toMatchObject({ count: 1 });
    const told = (await call("recall", { query: "zzz qqq" })).text;
    expect(told).toContain("I am allergic to walnuts.");
    expect(told).not.toContain("Frame");
    expect((await call("recall", { query: "zzz qqq", user: "mira" })).text).not.toContain("nuts");
    expect((await call("recall", { query: "zzz qqq", user: "nora" })).text).toBe(nothing);
    const beans = await changed(call, "I am allergic to beans.");
    for (const how of ["replaces", "keeps", "replaces"]) {
      const answer = await call("update", { id: beans.id, [how]: nuts.id });
      expect(answer).toMatchObject({ isError: false, data: { id: beans.id } });
    }
  });

  test("let a memory replace one that `recall` finds, where `remember` names none", async () => {
    const { call } = await few("unnamed");
    const cello = await changed(call, "Nora plays the cello.");
    const tuba = await changed(call, "The tuba is what one hears from the flat of Nora.");
    expect(tuba.older).toBeUndefined();
    expect((await call("recall", { query: "What does Nora play?" })).text).toContain(cello.id);
    await call("update", { id: tuba.id, replaces: cello.id });
    const { text } = await call("recall", { query: "What does Nora play?" });
    expect(text.indexOf(tuba.id)).toBeLessThan(text.indexOf(cello.id));
  });

  test("recall tells the profile where no memory is found, within its tokens", async () => {
    const { call } = await overHttp("profile");
    const query = "what may I not eat?";
    const nothing = "The memory knows nothing about it.";
    expect((await call("recall", { query })).text).toBe(nothing);
    for (const nut of ["walnuts", "hazelnuts", "pistachios"])
      await call("remember", { text: `I am allergic to ${nut}.`, user: "mira" });
    for (const max_tokens of [200, 800]) {
      const { text, data } = await call("recall", { query, max_tokens });
      expect(text).toMatch(/^The memory knows nothing about it\. What may matter .*:\n\n/);
      expect(text).toContain("I am allergic to");
      expect(tokensOf(text)).toBeLessThanOrEqual(max_tokens);
      expect(data).toMatchObject({ answerable: false, knows: "no", memories: [] });
    }
    expect((await call("recall", { query, user: "nora" })).text).toBe(nothing);
  });

  test("name no argument that they do not take, where an answer is cut or refused", async () => {
    const { call } = await few("cut");
    const chapters = Array.from(
      { length: 60 },
      (_, n) => `# Gate ${n}\n\n${`Gate ${n} leads to pier ${7 * n}. `.repeat(40)}`,
    );
    const { text: stored } = await call("remember", { text: chapters.join("\n\n") });
    const { text: found } = await call("recall", { query: "which gate leads where?", limit: 50 });
    const { text: empty } = await call("remember");
    const { text: unnamed } = await call("forget");
    expect([stored, found].map((text) => text.split("\n").at(-1))).toEqual([
      expect.stringMatching(/^… \d+ more: to see all, remember less at once\.$/),
      expect.stringMatching(/^… \d+ more: ask more narrowly\.$/),
    ]);
    expect(empty).toBe("Give what to remember: a text.");
    expect(unnamed).toBe("Say what to forget: an id, a user or tags.");
  });

  test("refuse wrong arguments by sentences, and tools that they are not", async () => {
    const { call } = await few("few and wrong");
    const { id } = await changed(call, "Rex is a dog.");
    const other = await changed(call, "The ferry to Bergen leaves at nine.");
    for (const [name, given, sentence] of [
      ["update", { id, replaces: other.id, keeps: other.id }, "Give one alone"],
      ["update", { id, replaces: other.id, title: "Rex" }, "Give one alone"],
      ["update", { id: "n_none", title: "Rex" }, "No memory has this id"],
      ["update", { id, replaces: "n_none" }, "One of the two ids names no memory"],
      ["update", { id: "n_none", keeps: id }, "One of the two ids names no memory"],
      ["update", { id, replaces: id }, "replaces must be another memory than id."],
      ["update", { id, keeps: id }, "keeps must be another memory than id."],
      ["remember", { text: "a", session: "s" }, "remember has no argument session"],
    ] as const)
      expect(await call(name, given)).toMatchObject({
        ...{ isError: true, text: expect.stringContaining(sentence) },
      });
    await expect(call("timeline")).rejects.toThrow("timeline");
  });
});

describe("over HTTP", () => {
  test("a query parameter other than `agent` and `tools` is refused with the nearest name", async () => {
    const post = async (query: string) => {
      const answer = await fetch(`${server().url}/mcp${query}`, {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: HELLO }),
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
      });
      return { status: answer.status, body: await answer.json() };
    };
    const refused = (path: string, message: string) => ({
      status: 400,
      body: { error: "the request is not valid", issues: [{ path, message }] },
    });
    expect(await post("?agnet=x")).toEqual(
      refused("agnet", "is not a field of this request: did you mean agent?"),
    );
    expect(await post("?agent=x&session=1")).toEqual(
      refused("session", "is not a field of this request: its fields are agent, tools"),
    );
    expect(await post("?agent=x&agent=y")).toEqual(
      refused("agent", "must be given once: a session is about one agent"),
    );
    const wrongTools = refused("tools", "must be one of few, all, and given once");
    for (const query of ["?tools=most", "?tools=", "?agent=x&tools=all&tools=few"])
      expect(await post(query), query).toEqual(wrongTools);
    expect((await post("?agent=x&tools=few")).status).toBe(200);
  });

  test("an independent client lists and calls the tools", async () => {
    const mcp = await createMCPClient({
      transport: { type: "http", url: `${server().url}/mcp?agent=independent` },
    });
    onTestFinished(() => mcp.close());
    const tools = await mcp.tools();
    expect(Object.keys(tools)).toContain("recall");
    const use = (name: "remember" | "recall", given: object) => {
      const tool = tools[name] as unknown as { execute(given: object, options: object): unknown };
      return tool.execute(given, { toolCallId: "1", messages: [] });
    };
    await use("remember", { text: "Rex is a dog." });
    const found = await use("recall", { query: "Who is Rex?" });
    expect(JSON.stringify(found)).toContain("Rex is a dog.");
  });

  test("a page of another origin is refused, and so is a call without a key if there are keys", async () => {
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "x", version: "1" },
      },
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const body = JSON.stringify(initialize);
    const foreign = await fetch(`${server().url}/mcp`, {
      method: "POST",
      body,
      headers: { ...headers, origin: "https://evil.example" },
    });
    expect(foreign.status).toBe(403);
    const opened = await fetch(`${server().url}/mcp`, { headers: { accept: "text/event-stream" } });
    expect([opened.status, opened.headers.get("allow")]).toEqual([405, "POST"]);
    const folder = temporaryFolder();
    await keyIn(folder, { agents: ["a"], scopes: ["memory"], creates_agents: false });
    const guarded = await start(folder);
    expect((await fetch(`${guarded.url}/mcp`, { method: "POST", body, headers })).status).toBe(401);
  });
});

describe("over standard input and output", () => {
  test("an independent client lists and calls the tools", async () => {
    const args = [PROGRAM, "mcp", "--data-dir", temporaryFolder()];
    const mcp = await createMCPClient({
      transport: new Experimental_StdioMCPTransport({ command: process.execPath, args }),
    });
    onTestFinished(() => mcp.close());
    const tools = await mcp.tools();
    const use = (name: "remember" | "recall", given: object) => {
      const tool = tools[name] as unknown as { execute(given: object, options: object): unknown };
      return tool.execute(given, { toolCallId: "1", messages: [] });
    };
    await use("remember", { text: "Rex is a dog." });
    expect(JSON.stringify(await use("recall", { query: "Who is Rex?" }))).toContain(
      "Rex is a dog.",
    );
  });

  test("starts within its time, and writes nothing but the protocol", async () => {
    const folder = temporaryFolder();
    const child = spawn(process.execPath, [PROGRAM, "mcp", "--data-dir", folder], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => out.push(chunk));
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    send({
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "x", version: "1" },
      },
    });
    send({ method: "notifications/initialized" });
    send({
      id: 2,
      method: "tools/call",
      params: { name: "remember", arguments: { text: "Rex is a dog." } },
    });
    await until(() => out.join("").includes('"id":2'));
    child.stdin.end();
    expect(await ended(child)).toBe(0);
    const lines = out
      .join("")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { jsonrpc: string; id?: number });
    expect(lines.map(({ id }) => id)).toEqual([1, 2]);
    for (const { jsonrpc } of lines) expect(jsonrpc).toBe("2.0");
  });

  test("answers `initialize` before the server is loaded, as the SDK would", async () => {
    expect(VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
    const { answers } = await saidTo(temporaryFolder(), [
      [{ id: 1, method: "initialize", params: HELLO }, { method: "notifications/initialized" }],
      [{ id: 2, method: "ping" }],
    ]);
    const overHttp = await fetch(`${server().url}/mcp`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: HELLO }),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
    const bySdk = (await overHttp.json()) as { result: { serverInfo: { version: string } } };
    expect(answers).toEqual([bySdk, { jsonrpc: "2.0", id: 2, result: {} }]);
    const { version } = bySdk.result.serverInfo;
    for (const protocolVersion of VERSIONS) {
      const params = { ...HELLO, protocolVersion };
      const line = JSON.stringify({ jsonrpc: "2.0", id: "a", method: "initialize", params });
      expect(earlyAnswer(`${line}\n`, version)).toMatchObject({
        id: "a",
        result: { protocolVersion, capabilities: { tools: {} } },
      });
      expect(earlyAnswer(line, version)).toBeUndefined();
    }
    expect(bytesLoadedBy("cli.mjs")).toBeLessThan(20_000);
  });

  test("answers once to an `initialize` that comes in parts, late, or of another version", async () => {
    const text = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: HELLO })}\n`;
    const params = { ...HELLO, protocolVersion: "2020-01-01" };
    const ping = { id: 2, method: "ping" };
    for (const parts of [
      [text.slice(0, 30), text.slice(30), [ping]],
      [[{ id: 1, method: "initialize", params }], [ping]],
      [[], text, [ping]],
    ]) {
      const { answers, status } = await saidTo(temporaryFolder(), parts, 60);
      expect(answers.map(({ id }) => id)).toEqual([1, 2]);
      expect(answers[0]!.result?.protocolVersion).toMatch(/^20/);
      expect(status).toBe(0);
    }
    const wrong = [{ id: 1, method: "initialize", params: { ...HELLO, clientInfo: {} } }, ping];
    const { answers } = await saidTo(temporaryFolder(), [wrong]);
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[0]).toHaveProperty("error");
  });

  test("a wrong setting ends the program with a sentence, though `initialize` is answered", async () => {
    const file = join(temporaryFolder(), "a file");
    writeFileSync(file, "");
    const hello = { id: 1, method: "initialize", params: HELLO };
    const { answers, status, errors } = await saidTo(file, [[hello]], 0, true);
    expect(answers.map(({ id }) => id)).toEqual([1]);
    expect({ status, errors }).toEqual({
      status: 1,
      errors: `data_dir is ${file}, which is a file: name a folder.\n`,
    });
  });

  test("offers few tools, or those of `--tools`, which has to be a set of them", async () => {
    const namesWith = async (...more: string[]) => {
      const { mcp } = await connected(await stdio(temporaryFolder(), ...more));
      return (await mcp.listTools()).tools.map(({ name }) => name);
    };
    expect(await namesWith()).toEqual(["remember", "recall", "update", "forget"]);
    expect(await namesWith("--tools", "all")).toHaveLength(10);
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, "mcp", "--tools", "most"], {
      ...{ encoding: "utf8", input: "" },
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain("Allowed choices are few, all.");
  });

  test("shares the data of a server that runs", async () => {
    const folder = temporaryFolder();
    const running = await start(folder);
    const { call } = await connected(await stdio(folder, "--agent", "shared"));
    await call("remember", { text: "The spare key hangs in the shed." });
    const { body } = await running.ask(
      "POST /search",
      { query: "spare key" },
      { "x-nous-agent": "shared" },
    );
    expect(body.data).toHaveLength(1);
    await running.end();
    expect((await call("recall", { query: "Where is the spare key?" })).text).toContain("shed");
  });

  test("answers calls that came before the end of its input", async () => {
    const folder = temporaryFolder();
    const say = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
    const input = [
      { id: 1, method: "initialize", params: HELLO },
      { method: "notifications/initialized" },
      {
        id: 2,
        method: "tools/call",
        params: { name: "remember", arguments: { text: "Rex is a dog." } },
      },
    ].map(say);
    const { status, stdout } = spawnSync(process.execPath, [PROGRAM, "mcp", "--data-dir", folder], {
      input: `${input.join("\n")}\n`,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout).toContain("Stored [");
  });

  test("asks no server but that of its own folder, whatever has the port by now", async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()];
    const running = await start(other);
    writeFileSync(
      join(folder, "server.json"),
      JSON.stringify({ url: running.url, instance: "gone" }),
    );
    const { call } = await connected(await stdio(folder, "--agent", "jürgen"));
    await call("remember", { text: "The spare key hangs in the shed." });
    const asked = await running.ask("GET /nodes", undefined, {
      "x-nous-agent": Buffer.from("jürgen").toString("latin1"),
    });
    expect(asked.body.count).toBe(0);
    expect((await call("recall", { query: "spare key" })).text).toContain("shed");
  });

  testInFull(
    "a missing, unknown or narrow key is told with its variable and the way to one",
    async () => {
      const folder = temporaryFolder();
      const place = ["--data-dir", folder, ...(await databaseOptions(folder))];
      const create = (...more: string[]) =>
        spawnSync(process.execPath, [PROGRAM, "keys", "create", ...place, ...more], {
          encoding: "utf8",
        }).stdout.trim();
      const [mine, other] = [
        create("--agents", "mine", "--creates-agents"),
        create("--agents", "b"),
      ];
      const way =
        "make one with `nous-server keys create --agents mine --creates-agents`, put it into the " +
        "variable NOUS_MCP_KEY (`env`) of the client's configuration, and restart the client.";
      const said = async (env: Record<string, string>) => {
        const { mcp, call } = await connected(await stdioWith(env, folder, "--agent", "mine"));
        const { isError, text } = await call("remember", { text: "Rex is a dog." });
        await mcp.close();
        return { isError, text };
      };
      const refusal = (text: string) => ({ isError: true, text: `${text}: ${way}` });
      const missing = refusal("The server has keys, and NOUS_MCP_KEY is not set");
      expect(await said({})).toEqual(missing);
      expect(await said({ NOUS_MCP_KEY: "" })).toEqual(missing);
      expect(await said({ NOUS_MCP_KEY: "nous_wrong" })).toEqual(
        refusal("The server does not know the key in NOUS_MCP_KEY"),
      );
      expect(await said({ NOUS_MCP_KEY: other })).toEqual(
        refusal("The key in NOUS_MCP_KEY may not do this (the key is not for this agent)"),
      );
      expect(await said({ NOUS_MCP_KEY: `${mine}\n` })).toMatchObject({ isError: false });
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [PROGRAM, "mcp", "--data-dir", folder],
        { encoding: "utf8", input: "", env: { ...process.env, NOUS_MCP_KEY: "schlüssel" } },
      );
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^The environment variable NOUS_MCP_KEY is no key: .+\.\n$/);
    },
  );

  test("three clients at once lose no write", async () => {
    const folder = temporaryFolder();
    const clients = await Promise.all(
      [1, 2, 3].map(async () => connected(await stdio(folder, "--tools", "all"))),
    );
    await Promise.all(
      clients.flatMap(({ call }, who) =>
        Array.from({ length: 10 }, async (_, place) => {
          const said = await call("remember", {
            text: `Locker ${who}${place} belongs to team ${who * 10 + place}.`,
          });
          expect(said.text).toContain("Stored");
        }),
      ),
    );
    for (const { call } of clients) {
      const { data } = await call("timeline", { limit: 100, max_tokens: 8_000 });
      expect(data.ids).toHaveLength(30);
    }
  });

  testInFull("the official inspector lists and calls the tools", () => {
    const folder = temporaryFolder();
    const inspect = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [INSPECTOR, "--cli", process.execPath, PROGRAM, "mcp", "--data-dir", folder, ...args],
        { encoding: "utf8" },
      );
      expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
      return JSON.parse(stdout);
    };
    expect(inspect("--method", "tools/list").tools).toHaveLength(4);
    const made = inspect(
      "--method",
      "tools/call",
      "--tool-name",
      "remember",
      "--tool-arg",
      "text=Rex is a dog.",
    );
    expect(made.content[0].text).toContain("Stored");
    const found = inspect(
      "--method",
      "tools/call",
      "--tool-name",
      "recall",
      "--tool-arg",
      "query=Who is Rex?",
    );
    expect(found.content[0].text).toContain("Rex is a dog.");
  });
});

interface Answered {
  id: number;
  result?: Record<string, unknown>;
}

/**
 * Starts `nous-server mcp`, writes these parts with a pause after each, waits for two answers or its
 * end, and returns what it wrote.
 */
async function saidTo(
  folder: string,
  parts: readonly (string | readonly object[])[],
  pause = 0,
  untilEnd = false,
): Promise<{ answers: Answered[]; status: number | null; errors: string }> {
  const child = spawn(process.execPath, [PROGRAM, "mcp", "--data-dir", folder]);
  const end = ended(child);
  let [out, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const lines = () => out.split("\n").filter((line) => line !== "");
  for (const part of parts) {
    const messages = typeof part === "string" ? [] : part;
    const text = messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
    child.stdin.write(typeof part === "string" ? part : text);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  if (!untilEnd) {
    await until(() => lines().length >= 2);
    child.stdin.end();
  }
  const status = await end;
  return { answers: lines().map((line) => JSON.parse(line) as Answered), status, errors };
}

/** Returns the bytes of a file of the program, and of all files that it imports when it is loaded. */
function bytesLoadedBy(name: string, seen = new Set<string>()): number {
  if (seen.has(name)) return 0;
  seen.add(name);
  const text = readFileSync(join(dirname(PROGRAM), name), "utf8");
  const imported = [...text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(([, file]) => file!);
  return imported.reduce((sum, file) => sum + bytesLoadedBy(file, seen), text.length);
}

const INSPECTOR = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once("exit", resolve));

describe("installation", () => {
  const entry = { command: "node", args: ["cli.mjs", "mcp"] };

  // Those of other forms are in mcp-install.test.ts.
  const inJson = CLIENT_NAMES.filter((name) => !("form" in CLIENTS[name]));
  test.each(inJson)("keeps what the configuration of %s holds", (name) => {
    const home = temporaryFolder();
    const given = { ...entry, client: name, home, system: "linux" as const };
    const { file, before, after } = installationOf(given);
    expect(before).toBeUndefined();
    expect(file.startsWith(home) || process.env.XDG_CONFIG_HOME !== undefined).toBe(true);
    mkdirSync(dirname(file), { recursive: true });
    const there = `{\n  // my settings\n  "theme": "dark",\n  "other": { "a": [1, 2] },\n}\n`;
    writeFileSync(file, there);
    const merged = installationOf(given);
    expect(merged.after).toContain("// my settings");
    const parsed = parse(merged.after, [], { allowTrailingComma: true });
    expect(parsed).toMatchObject({ theme: "dark", other: { a: [1, 2] } });
    expect(JSON.stringify(parsed)).toContain('"nous"');
    writeFileSync(file, merged.after);
    expect(installationOf(given).after).toBe(merged.after);
    expect(after).toContain('"mcp"');
    writeFileSync(file, "{ broken");
    expect(() => installationOf(given)).toThrow("mend it first");
  });

  /** The files of each client: of Linux, macOS and Windows. */
  const FILES: Record<ClientName, readonly [linux: string, darwin: string, win32: string]> = {
    "claude-desktop": [
      "/home/mira/.config/Claude/claude_desktop_config.json",
      "/Users/mira/Library/Application Support/Claude/claude_desktop_config.json",
      "C:\\Users\\mira\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    ],
    "claude-code": [
      "/home/mira/.claude.json",
      "/Users/mira/.claude.json",
      "C:\\Users\\mira\\.claude.json",
    ],
    cursor: [
      "/home/mira/.cursor/mcp.json",
      "/Users/mira/.cursor/mcp.json",
      "C:\\Users\\mira\\.cursor\\mcp.json",
    ],
    vscode: [
      "/home/mira/.config/Code/User/mcp.json",
      "/Users/mira/Library/Application Support/Code/User/mcp.json",
      "C:\\Users\\mira\\AppData\\Roaming\\Code\\User\\mcp.json",
    ],
    zed: [
      "/home/mira/.config/zed/settings.json",
      "/Users/mira/.config/zed/settings.json",
      "C:\\Users\\mira\\AppData\\Roaming\\Zed\\settings.json",
    ],
    windsurf: [
      "/home/mira/.codeium/windsurf/mcp_config.json",
      "/Users/mira/.codeium/windsurf/mcp_config.json",
      "C:\\Users\\mira\\.codeium\\windsurf\\mcp_config.json",
    ],
    codex: [
      "/home/mira/.codex/config.toml",
      "/Users/mira/.codex/config.toml",
      "C:\\Users\\mira\\.codex\\config.toml",
    ],
    gemini: [
      "/home/mira/.gemini/settings.json",
      "/Users/mira/.gemini/settings.json",
      "C:\\Users\\mira\\.gemini\\settings.json",
    ],
    cline: [
      "/home/mira/.cline/data/settings/cline_mcp_settings.json",
      "/Users/mira/.cline/data/settings/cline_mcp_settings.json",
      "C:\\Users\\mira\\.cline\\data\\settings\\cline_mcp_settings.json",
    ],
    opencode: [
      "/home/mira/.config/opencode/opencode.json",
      "/Users/mira/.config/opencode/opencode.json",
      "C:\\Users\\mira\\.config\\opencode\\opencode.json",
    ],
    goose: [
      "/home/mira/.config/goose/config.yaml",
      "/Users/mira/.config/goose/config.yaml",
      "C:\\Users\\mira\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
    ],
  };
  const HOMES = ["/home/mira", "/Users/mira", "C:\\Users\\mira"];

  test.each(CLIENT_NAMES)("finds the file of %s on Linux, macOS and Windows", (name) => {
    for (const [place, system] of (["linux", "darwin", "win32"] as const).entries()) {
      const where: Where = { home: HOMES[place]!, system, environment: {} };
      expect(fileOf(name, where)).toBe(FILES[name][place]);
      // Empty variables count as missing ones.
      const empty = { APPDATA: "", XDG_CONFIG_HOME: "" };
      expect(fileOf(name, { ...where, environment: empty })).toBe(FILES[name][place]);
    }
    const APPDATA = "D:\\Profile\\Roaming";
    const roaming = { APPDATA, XDG_CONFIG_HOME: "/elsewhere" };
    const windows = fileOf(name, { home: HOMES[2]!, system: "win32", environment: { APPDATA } });
    const inAppData = FILES[name][2].includes("AppData");
    expect(windows.startsWith(inAppData ? "D:\\Profile\\Roaming\\" : HOMES[2]!)).toBe(true);
    const linux = fileOf(name, { home: HOMES[0]!, system: "linux", environment: roaming });
    const inConfig = FILES[name][0].includes("/.config/");
    expect(linux.startsWith(inConfig ? "/elsewhere/" : HOMES[0]!)).toBe(true);
  });

  test("finds the file of a project, as the system writes paths", () => {
    const at = (system: "linux" | "win32", project: string) => (name: ClientName) =>
      fileOf(name, { home: "", system, environment: {} }, project);
    const names = ["claude-code", "cursor", "vscode", "zed"] as const;
    expect(names.map(at("linux", "/srv/app"))).toEqual([
      ...["/srv/app/.mcp.json", "/srv/app/.cursor/mcp.json"],
      ...["/srv/app/.vscode/mcp.json", "/srv/app/.zed/settings.json"],
    ]);
    expect(names.map(at("win32", "C:\\app"))).toEqual([
      ...["C:\\app\\.mcp.json", "C:\\app\\.cursor\\mcp.json"],
      ...["C:\\app\\.vscode\\mcp.json", "C:\\app\\.zed\\settings.json"],
    ]);
    expect(() => at("linux", "/srv/app")("claude-desktop")).toThrow("no configuration for a");
  });

  test("by the command prints a trial, writes the file, and keeps the old one", () => {
    const folder = temporaryFolder();
    const file = join(folder, ".mcp.json");
    writeFileSync(file, '{"mcpServers":{"other":{"command":"x"}}}');
    const run = (...more: string[]) =>
      spawnSync(
        process.execPath,
        [
          PROGRAM,
          "mcp",
          "install",
          "--client",
          "claude-code",
          "--agent",
          "mine",
          "--project",
          folder,
          ...more,
        ],
        { encoding: "utf8" },
      );
    expect(run("--dry-run").stdout).toContain('"nous"');
    expect(readFileSync(file, "utf8")).not.toContain("nous");
    expect(run()).toMatchObject({ status: 0 });
    const { mcpServers } = JSON.parse(readFileSync(file, "utf8"));
    expect(mcpServers.other).toEqual({ command: "x" });
    const args = mcpServers.nous.args.slice(1);
    expect(args.slice(0, 4)).toEqual(["mcp", "--agent", "mine", "--data-dir"]);
    expect(args).toHaveLength(5);
    expect(run()).toMatchObject({ status: 0 });
    expect(readFileSync(`${file}.before-nous`, "utf8")).not.toContain("nous-server");
    expect(run("--tools", "all")).toMatchObject({ status: 0 });
    const again = JSON.parse(readFileSync(file, "utf8")).mcpServers.nous.args.slice(1);
    expect(again).toEqual([...args.slice(0, 3), "--tools", "all", ...args.slice(3)]);
    const refused = run("--hooks", "--tools", "all");
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("--tools is for") });
    expect(run("--tools", "most").stderr).toContain("Allowed choices are few, all.");
  });
});
