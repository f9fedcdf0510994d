// Arguments of all tools of MCP as clients write them: null for what is not given, and text for
// numbers, booleans and lists. What a tool sends to HTTP is the same as for plain arguments.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Ask } from "../../js/server/src/mcp/ask.ts";
import { mcpServer } from "../../js/server/src/mcp/server.ts";
import { amount, runs } from "../support/amount.ts";
import { sharedServer } from "./support/shared-server.ts";

const { server } = sharedServer();

interface Property {
  type?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  items?: Property;
}
interface Tool {
  name: string;
  inputSchema: { properties: Record<string, Property>; required?: string[] };
}
type Sent = [...Parameters<Ask>][];

/** Calls methods of the protocol on a server of its own. Returns the answer, and what HTTP was asked. */
async function exchange(method: string, params: object): Promise<{ result: object; sent: Sent }> {
  const sent: Sent = [];
  const ask: Ask = (...[method, path, body]) => {
    sent.push([method, path, body]);
    return Promise.resolve({ status: 404, body: { error: "none" } });
  };
  const mcp = mcpServer(ask, "1", "all");
  type Answer = { result?: object; error?: object };
  let resolve: (answer: Answer) => void;
  const answered = new Promise<Answer>((done) => {
    resolve = done;
  });
  const transport = {
    start: async () => {},
    close: async () => {},
    send: async (message: object) => resolve(message),
  } as Parameters<typeof mcp.connect>[0];
  await mcp.connect(transport);
  transport.onmessage!({ jsonrpc: "2.0", id: 1, method, params } as never);
  const { result, error } = await answered;
  await mcp.close();
  return { result: result ?? error!, sent };
}

const { tools } = (await exchange("tools/list", {})).result as { tools: Tool[] };

const words = fc.stringMatching(/^[A-Za-zäß][\w äß-]{0,10}[\wäß]$/);

/** Values that a schema takes. */
function valuesOf({ type, enum: names, minimum, maximum, items }: Property): fc.Arbitrary<unknown> {
  if (names !== undefined) return fc.constantFrom(...names);
  if (type === "integer") return fc.integer({ min: minimum ?? 0, max: Math.min(maximum!, 10_000) });
  if (type === "number") return fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10);
  if (type === "boolean") return fc.boolean();
  if (type === "array")
    return items!.type === "object"
      ? fc.array(fc.record({ role: fc.constant("user"), content: words }), { minLength: 1 })
      : fc.array(words, { minLength: 1, maxLength: 4 });
  return words;
}

/** The ways to write a value of a schema. */
const writingsOf = ({ type, items }: Property, value: unknown): unknown[] => {
  const list = value as unknown[];
  if (type === "integer" || type === "number" || type === "boolean")
    return [
      value,
      String(value),
      ` ${value} `,
      String(value).replace(/^./, (c) => c.toUpperCase()),
    ];
  if (type !== "array") return [value];
  if (items!.type === "object") return [value, JSON.stringify(value)];
  return [
    ...[value, JSON.stringify(value), list.join(","), list.join(", ")],
    `['${list.join("', '")}']`,
  ];
};

interface Call {
  plain: Record<string, unknown>;
  written: Record<string, unknown>;
}

/** Calls of a tool: plain, and as a client may write the same. */
function callsOf({ inputSchema: { properties, required = [] } }: Tool): fc.Arbitrary<Call> {
  const entries = Object.entries(properties).map(([name, property]) => {
    const isOptional = !required.includes(name);
    const given = valuesOf(property).chain((value) =>
      fc.record({
        value: fc.constant(value),
        written: fc.constantFrom(...writingsOf(property, value)),
      }),
    );
    const missing = [null, null, ...(property.type === "string" ? [] : ["", "null", "None"])];
    const notGiven = fc.constantFrom(...missing).map((written) => ({ value: undefined, written }));
    const either = isOptional ? fc.oneof(given, notGiven) : given;
    return either.map(({ value, written }) => ({ name, value, written }));
  });
  return fc.tuple(...entries).map((all) => ({
    plain: Object.fromEntries(
      all.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    ),
    written: Object.fromEntries(all.map(({ name, written }) => [name, written])),
  }));
}

test.each(tools.map((tool) => [tool.name, tool] as const))(
  "%s takes null for what is optional, and text for numbers, booleans and lists",
  async (name, tool) => {
    await fc.assert(
      fc.asyncProperty(callsOf(tool), async ({ plain, written }) => {
        const expected = await exchange("tools/call", { name, arguments: plain });
        const found = await exchange("tools/call", { name, arguments: written });
        expect(JSON.stringify(found)).not.toContain("Input validation error");
        expect(found).toEqual(expected);
      }),
      runs(amount(300)),
    );
  },
);

test("a list is read as its words, and a text that stands for no value is refused", async () => {
  const tagsOf = async (tags: unknown) => {
    const { sent } = await exchange("tools/call", {
      name: "remember",
      arguments: { text: "The lamp is in the attic.", tags },
    });
    return (sent[0]?.[2] as { tags?: string[] } | undefined)?.tags;
  };
  expect(await tagsOf("lamp")).toEqual(["lamp"]);
  expect(await tagsOf('["lamp", "attic, left"]')).toEqual(["lamp", "attic, left"]);
  expect(await tagsOf(" lamp , attic,, ")).toEqual(["lamp", "attic"]);
  expect(await tagsOf("['lamp', \"attic\"]")).toEqual(["lamp", "attic"]);
  expect(await tagsOf(null)).toBeUndefined();
  for (const [name, given] of [
    ["recall", { query: "lamp", limit: "many" }],
    ["recall", { query: "lamp", limit: "5 or so" }],
    ["recall", { query: "lamp", limit: "0" }],
    ["recall", { query: null }],
    ["recall", { query: "lamp", tags: [7] }],
    ["forget", { user: "mira", confirm: "perhaps" }],
    ["remember", { text: "lamp", messages: "the lamp" }],
    ["remember", { text: 7 }],
  ] as const) {
    const { sent } = await exchange("tools/call", { name, arguments: given });
    expect(sent, JSON.stringify(given)).toEqual([]);
  }
});

test("update keeps what null stands for, and an empty text removes", async () => {
  const agent = { "x-nous-agent": "strict client" };
  const ask = (call: string, body?: object) => server().ask(call, body, agent);
  const call = (name: string, given: object) =>
    fetch(`${server().url}/mcp?agent=strict%20client`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name, arguments: given },
      }),
    });
  await ask("PUT /nodes/lamp", {
    ...{ type: "fact", content_title: "The lamp", content_body: "It is in the hall." },
    event_time: "2026-05-04T00:00:00.000Z",
  });
  const nothing = { title: null, text: null, type: null, tags: null };
  const undecided = { replaces: null, keeps: null };
  const kept = { ...nothing, ...undecided, id: "lamp", title: "A lamp", event_time: null };
  await call("update", kept);
  expect((await ask("GET /nodes/lamp?recall=false")).body).toMatchObject({
    ...{ content_title: "A lamp", content_body: "It is in the hall." },
    event_time: "2026-05-04T00:00:00.000Z",
  });
  await call("update", { ...nothing, id: "lamp", text: "", event_time: "" });
  expect((await ask("GET /nodes/lamp?recall=false")).body).toMatchObject({
    ...{ content_title: "A lamp", content_body: null, event_time: null },
  });
});

test("remember and context take a conversation", async () => {
  const said = { role: "user", content: [{ type: "text", text: "The lamp is in the attic." }] };
  const { sent } = await exchange("tools/call", {
    name: "remember",
    arguments: { text: null, messages: JSON.stringify([said]), tools: "keep" },
  });
  expect(sent).toEqual([["POST", "/remember", { messages: [said], tools: "keep" }]]);
  const { sent: asked } = await exchange("tools/call", {
    name: "context",
    arguments: { input: "Where?", messages: [said] },
  });
  expect(asked[0]![2]).toMatchObject({ messages: [said] });
  const answer = await exchange("tools/call", {
    name: "remember",
    arguments: { text: "The lamp.", messages: [said] },
  });
  expect(answer.sent).toEqual([]);
  expect(JSON.stringify(answer.result)).toContain("a text, or messages");
});
