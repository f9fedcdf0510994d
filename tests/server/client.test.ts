// The published TypeScript client: a method for each operation, with the types and errors of the
// routes.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { NousClient, type NousClientOptions, NousRequestError } from "nous-server/client";
import { ANSWERABLE } from "nous-wasm";
import { describe, expect, onTestFinished, test } from "vitest";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../../js/server/src/api/operations.ts";
import { ROUTES } from "../../js/server/src/client/routes.ts";
import { LESSON, sharedServer } from "./support/shared-server.ts";

const { server, client: someAgent } = sharedServer();
const clientOf = (options: Partial<NousClientOptions> = {}) =>
  new NousClient({ baseUrl: server().url, agent: someAgent().agent, ...options });

/** The error of a call. */
async function refusal(call: Promise<unknown>): Promise<NousRequestError> {
  const error = await call.then(
    () => expect.unreachable("it succeeded"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(NousRequestError);
  return error as NousRequestError;
}

describe("the client's methods", () => {
  test("are exactly the operations", () => {
    const names = Object.keys({ ...AGENT_OPERATIONS, ...AGENTLESS_OPERATIONS }).sort();
    expect(Object.getOwnPropertyNames(clientOf()).sort()).toEqual(names);
    expect(Object.keys(ROUTES).sort()).toEqual(names);
  });

  test("have the paths of the OpenAPI description", async () => {
    const { body } = await server().ask("GET /openapi.json");
    const described = Object.entries(
      body.paths as Record<string, Record<string, { operationId: string }>>,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`,
      ]),
    );
    const own = Object.entries(ROUTES).map(([name, { method, path }]) => [
      name,
      `${method} ${path}`,
    ]);
    expect(described).toEqual(expect.arrayContaining(own));
  });

  test("take parts of the path, bodies and queries, and return the answers of the schemas", async () => {
    const client = clientOf();
    const lesson = await client.createNode(LESSON);
    const note = await client.createNode({
      type: "note",
      content_title: "Basis trade",
      content_body: "funding again",
    });
    expect(AGENT_OPERATIONS.createNode.answer.parse(lesson)).toEqual(lesson);
    const edge = await client.createEdge({
      source_id: note.id,
      target_id: lesson.id,
      type: "causes",
    });
    expect(await client.strengthenEdge(edge.id)).toMatchObject({ strength: expect.closeTo(0.85) });
    expect(await client.strengthenEdge(edge.id, { amount: 0.1 })).toMatchObject({
      strength: expect.closeTo(0.95),
    });
    expect(await client.listEdges({ node_id: note.id, direction: "out" })).toMatchObject({
      count: 1,
    });

    expect((await client.listNodes()).count).toBe(2);
    expect((await client.listNodes({ limit: 1, type: "note" })).data.map(({ id }) => id)).toEqual([
      note.id,
    ]);
    expect(await client.readNode(note.id, { recall: false })).toMatchObject({
      neural_access_count: 0,
    });
    expect(await client.readNode(note.id)).toMatchObject({ neural_access_count: 1 });
    expect(await client.updateNode(note.id, { content_title: "Carry" })).toMatchObject({
      version: 2,
    });

    const { data, answerable } = await client.search({ query: "funding", limit: 5, min_score: 0 });
    expect(data.map(({ id }) => id).sort()).toEqual([lesson.id, note.id].sort());
    expect(data[0]!.evidence!.p_soft).toBeGreaterThan(0);
    expect(answerable).toBe(data[0]!.score >= ANSWERABLE);
    const bySignals = await client.search({ query: "funding", ranking: "signals" });
    expect(bySignals.data[0]!.breakdown!.keyword).toBeGreaterThan(0);
    expect(await client.classifyQuery({ query: "why did it fail?" })).toMatchObject({
      disqualifier_category: "D1",
    });
    expect(await client.health()).toMatchObject({ node_count: 2, edge_count: 1 });
    expect(await client.sweep({ force: true })).toMatchObject({ ok: true, processed: 2 });
    expect((await client.graph()).count).toEqual({ nodes: 2, edges: 1 });
    expect(await client.deleteEdge(edge.id)).toEqual({ ok: true });
    expect(await client.deleteNode(note.id)).toEqual({ ok: true });
  });

  test("are typed: the compiler refuses wrong requests as the server does", async () => {
    const client = clientOf();
    // @ts-expect-error a memory has a title
    expect((await refusal(client.createNode({ type: "note" }))).status).toBe(400);
    // @ts-expect-error a question is a text
    expect((await refusal(client.search({ query: 7 }))).status).toBe(400);
    // @ts-expect-error a node is named
    await expect(client.readNode()).rejects.toThrow(TypeError);
    // @ts-expect-error the query is not optional here
    expect((await refusal(client.listEdges())).status).toBe(400);
  });
});

describe("the client's agent", () => {
  test("may have a name of any script", async () => {
    const [agnes, other] = [clientOf({ agent: "Agnès 雪" }), clientOf()];
    await agnes.createNode(LESSON);
    expect((await agnes.health()).node_count).toBe(1);
    expect((await other.health()).node_count).toBe(0);
    const { body } = await server().ask("GET /health", undefined, {
      "x-nous-agent": Buffer.from("Agnès 雪", "utf8").toString("latin1"),
    });
    expect(body.node_count).toBe(1);
  });

  test("is the same for a base URL with a final slash and for a given fetch", async () => {
    const asked: string[] = [];
    const counting: typeof fetch = (url, init) => {
      asked.push(`${init?.method} ${url}`);
      return fetch(url, init);
    };
    await clientOf({ baseUrl: `${server().url}//`, fetch: counting }).listNodes({
      created_after: "2026-01-01",
    });
    expect(asked).toEqual([`GET ${server().url}/v1/nodes?created_after=2026-01-01`]);
  });
});

describe("the client's errors", () => {
  test("have the status, the issues, and a message with both", async () => {
    const missing = await refusal(clientOf().readNode("n_000000000000"));
    expect(missing).toMatchObject({
      name: "NousRequestError",
      status: 404,
      issues: [],
      message: "not found",
    });
    const wrong = await refusal(clientOf().search({ query: "", limit: -1 }));
    expect(wrong.status).toBe(400);
    expect(wrong.issues.map(({ path }) => path).sort()).toEqual(["limit", "query"]);
    expect(wrong.message).toContain(
      `limit ${wrong.issues.find(({ path }) => path === "limit")!.message}`,
    );
  });

  test("treat an id as one part of a path, whatever its characters", async () => {
    expect(await refusal(clientOf().readNode("../health"))).toMatchObject({ status: 404 });
    expect(await refusal(clientOf().readNode("a?recall=no#x"))).toMatchObject({ status: 404 });
    for (const id of ["", ".", ".."])
      await expect(clientOf().readNode(id)).rejects.toThrow(`id must be an id, found "${id}"`);
    const none = undefined as unknown as string;
    await expect(clientOf().removeMember("c", none)).rejects.toThrow(
      "removeMember: node_id must be an id, found undefined",
    );
  });

  test("explain a timeout, a missing server, and an answer of another program", async () => {
    const other = createServer((request, response) => {
      if (request.url!.endsWith("/health")) response.end("<html>");
    });
    await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
    onTestFinished(() => other.closeAllConnections());
    onTestFinished(() => void other.close());
    const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

    const late = await refusal(clientOf({ baseUrl, timeoutMs: 50 }).graph());
    expect(late).toMatchObject({
      status: null,
      message: `GET ${baseUrl}/v1/graph: no answer came within 50 ms`,
    });
    const odd = await refusal(clientOf({ baseUrl }).health());
    expect(odd).toMatchObject({
      status: 200,
      message: `GET ${baseUrl}/v1/health: the answer, with status 200, is not JSON; is nous-server running at ${baseUrl}?`,
    });
  });

  test("name method, address and cause if no server answers", async () => {
    // `fetch` refuses some ports by itself: this one was free a moment ago.
    const left = createServer();
    await new Promise<void>((listening) => left.listen(0, "127.0.0.1", listening));
    const { port } = left.address() as AddressInfo;
    await new Promise((closed) => left.close(closed));
    const baseUrl = `http://127.0.0.1:${port}`;
    const unreachable = await refusal(clientOf({ baseUrl }).health());
    expect(unreachable).toMatchObject({
      status: null,
      message: `GET ${baseUrl}/v1/health failed: connect ECONNREFUSED 127.0.0.1:${port}; is nous-server running at ${baseUrl}?`,
    });
    expect(unreachable.cause).toBeInstanceOf(Error);
    // The words of a query may be a memory's, and messages are logged.
    const query = { node_id: "secret" };
    const quiet = await refusal(clientOf({ baseUrl }).listEdges(query));
    expect(quiet.message).not.toContain("secret");
  });

  test("point out a prefix that the server does not know", async () => {
    const { message } = await refusal(clientOf({ baseUrl: `${server().url}/api` }).health());
    expect(message).toBe(
      "not found; if every request fails so, correct baseUrl: this one asked for /api/v1/health",
    );
  });

  test.each([
    [{ baseUrl: "127.0.0.1:3100" }, /baseUrl must be a URL with http:.*found "127\.0\.0\.1:3100"/],
    [{ baseUrl: "localhost:3100" }, /baseUrl must be a URL with http:/],
    [{ baseUrl: "" }, /baseUrl must be a URL with http:/],
    [{ baseUrl: undefined as unknown as string }, /baseUrl must be a URL with http:/],
    [{ baseUrl: "http://h:1/v1/" }, /baseUrl must end before \/v1.*: "http:\/\/h:1", found/],
    [{ baseUrl: "http://h:1/?a=b" }, /baseUrl must have no query/],
    [{ baseUrl: "http://me:word@h:1" }, /baseUrl must have no name and no password: give a key/],
    [{ agent: "ali\nce" }, /agent must be a name of 1 to 200 .*found "ali\\nce"/],
    [{ agent: "" }, /agent must be a name/],
    [{ agent: ".." }, /agent must be a name/],
    [{ agent: "a".repeat(201) }, /agent must be a name/],
    [{ key: "a b" }, /key must be of printable ASCII/],
  ])("refuse %j when the client is created", (options, message) => {
    const make = () => new NousClient({ baseUrl: "http://h:1", agent: "a", ...options });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});
