// The protocol beneath the tools of MCP: what clients accept, broken messages, batches, cancelled
// calls and clients that go, over HTTP and over standard input and output.

import { spawn } from "node:child_process";
import { Agent } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { amount, runs } from "../support/amount.ts";
import { databaseOptions } from "./support/on-postgres.ts";
import { send } from "./support/raw-http.ts";
import { PROGRAM } from "./support/server-process.ts";
import { sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { server } = sharedServer();

type Message = Record<string, unknown>;
const request = (id: number | string, method: string, params?: object): Message => ({
  ...{ jsonrpc: "2.0", id, method },
  ...(params && { params }),
});
const call = (id: number | string, name: string, given: object) =>
  request(id, "tools/call", { name, arguments: given });
const cancel = (requestId: number | string): Message => ({
  ...{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
});
const pong = (id: number | string) => ({ jsonrpc: "2.0", id, result: {} });
const fault = (code: number, id: unknown = null) => ({
  ...{ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } },
});
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600];

/** Texts that are no message, with the answer to each. */
const BROKEN: readonly [string, object][] = [
  ["{bad json}", fault(PARSE_ERROR)],
  ['{"jsonrpc":"2.0","id":4', fault(PARSE_ERROR)],
  ["hello", fault(PARSE_ERROR)],
  ["7", fault(INVALID_REQUEST)],
  ["null", fault(INVALID_REQUEST)],
  ["[]", fault(INVALID_REQUEST)],
  ['{"id":9,"method":"ping"}', fault(INVALID_REQUEST, 9)],
  ['{"jsonrpc":"2.0","id":"a","method":7}', fault(INVALID_REQUEST, "a")],
  [JSON.stringify(Array(101).fill(request(1, "ping"))), fault(INVALID_REQUEST)],
];

describe("over HTTP", () => {
  const post = async (
    body: unknown,
    headers: Record<string, string> = {},
    path = "/mcp?agent=protocol&tools=all",
  ) => {
    const answer = await send(
      server().url,
      {
        ...{ method: "POST", path },
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      },
      new Agent(),
    );
    const events = answer.text.matchAll(/^event: message\ndata: (.*)\n\n/gm);
    return {
      ...answer,
      json: answer.type.startsWith("application/json") ? JSON.parse(answer.text) : undefined,
      events: Array.from(events, ([, data]) => JSON.parse(data!) as unknown),
    };
  };

  test("a client is answered in a form that it accepts", async () => {
    for (const accept of [
      ...["application/json", "*/*", "application/*", "", "application/json, text/event-stream"],
      ...["text/event-stream;q=0.5, application/json;q=0.1", "text/html, */*;q=0.8", "*/*;q=1.0"],
    ])
      expect(await post(request(1, "ping"), { accept }), accept).toMatchObject({
        ...{ status: 200, json: pong(1) },
      });
    expect(await post(request(1, "ping"))).toMatchObject({ status: 200, json: pong(1) });
    for (const accept of ["text/event-stream", "text/*", "text/event-stream, application/json;q=0"])
      expect(
        await post([request(1, "ping"), request(2, "ping")], { accept }),
        accept,
      ).toMatchObject({ status: 200, type: "text/event-stream", events: [pong(1), pong(2)] });
    for (const accept of ["text/html", "application/xml", "*/*;q=0"])
      expect(await post(request(1, "ping"), { accept }), accept).toMatchObject({
        ...{ status: 406, json: fault(-32_000) },
      });
  });

  test("/mcp/ is /mcp", async () => {
    expect(await post(request(1, "ping"), {}, "/mcp/?agent=x")).toMatchObject({ json: pong(1) });
    expect((await fetch(`${server().url}/mcp/`)).status).toBe(405);
  });

  test("a body with another Content-Encoding or type is refused, as below /v1", async () => {
    for (const encoding of ["gzip", "br", "deflate", "identity, gzip"])
      expect(
        await post(request(1, "ping"), { "content-encoding": encoding }),
        encoding,
      ).toMatchObject({ status: 415 });
    expect(await post(request(1, "ping"), { "content-encoding": "identity" })).toMatchObject({
      status: 200,
    });
    expect(await post(request(1, "ping"), { "content-type": "text/plain" })).toMatchObject({
      status: 400,
    });
  });

  test("what is no message is answered by an error, alone and in a batch", async () => {
    for (const [text, answer] of BROKEN)
      expect(await post(text), text).toMatchObject({ status: 400, json: answer });
    expect(await post(`\uFEFF${JSON.stringify(request(1, "ping"))}`)).toMatchObject({
      ...{ status: 200, json: pong(1) },
    });
    expect(
      await post([request(1, "ping"), 7, { jsonrpc: "2.0", id: 2 }, request(3, "ping")]),
    ).toMatchObject({
      status: 200,
      json: [pong(1), fault(INVALID_REQUEST), fault(INVALID_REQUEST, 2), pong(3)],
    });
    expect(await post({ jsonrpc: "2.0", id: 1, method: "ping", params: null })).toMatchObject({
      json: pong(1),
    });
    const nothing = request(1, "tools/call", { name: "conflicts", arguments: null });
    expect((await post(nothing)).json.result).toMatchObject({ content: [{ type: "text" }] });
  });

  test("the calls of a batch are answered in their order, without those that it cancels", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(7), { maxLength: 3 }),
        async (ids, places) => {
          const gone = new Set(places.flatMap((place) => ids[place] ?? []));
          const batch = [...ids.map((id) => request(id, "ping")), ...Array.from(gone, cancel)];
          const { status, json } = await post(batch);
          const left = ids.filter((id) => !gone.has(id));
          expect({ status, json }).toEqual(
            left.length === 0
              ? { status: 202, json: undefined }
              : { status: 200, json: left.map(pong) },
          );
        },
      ),
      runs(amount(200)),
    );
    const remember = call(1, "remember", { text: "The kayak hangs in the boathouse." });
    expect((await post([remember, cancel(1)])).status).toBe(202);
    const { json } = await post([cancel(2), call(2, "recall", { query: "Where is the kayak?" })]);
    expect(json).toHaveLength(1);
    expect(JSON.stringify(json)).toContain("knows nothing");
  });

  test("the calls of a batch end when their client has gone", async () => {
    const counted = async (route: string, status: number): Promise<number> => {
      const text = await (await fetch(`${server().url}/metrics`)).text();
      const counts = text
        .split("\n")
        .filter((line) => line.includes("_count{") || line.includes("_total{"))
        .filter((line) => line.includes(`"${route}"`) && line.includes(`"${status}"`));
      return counts.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    };
    const before = await counted("/v1/context", 200);
    const calls = Array.from({ length: 100 }, (_, at) =>
      call(at, "context", {
        input: `What about the ${"lighthouse keeper ".repeat(400)} of ${at}?`,
      }),
    );
    const body = JSON.stringify(calls);
    const { hostname, port } = new URL(server().url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      "POST /mcp?agent=gone&tools=all HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
        `accept: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await vi.waitFor(
      async () => expect(await counted("/v1/context", 200)).toBeGreaterThan(before),
      { timeout: 20_000, interval: 1 },
    );
    socket.destroy();
    await vi.waitFor(async () => expect(await counted("/mcp", 499)).toBeGreaterThan(0), {
      timeout: 20_000,
    });
    expect((await counted("/v1/context", 200)) - before).toBeLessThan(100);
  });

  test("a path with a star is answered like any other", async () => {
    const path = fc
      .array(fc.constantFrom("*", "%2A", "v1", "nodes", "mcp", ":id", "a"), { minLength: 1 })
      .map((steps) => `/${steps.join("/")}`);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(path, fc.constantFrom("/*", "/%2A", "/%2a", "/v1/*", "/v1/nodes/*")),
        fc.constantFrom("GET", "POST", "HEAD", "DELETE"),
        async (path, method) => {
          const plain = { method, path, headers: {}, body: undefined };
          const { status } = await send(server().url, plain, new Agent());
          expect(status, path).toBeLessThan(500);
        },
      ),
      runs(amount(300)),
    );
    const { body } = await server().ask("GET /nodes/*?recall=false");
    expect(body).toEqual({ error: "not found" });
  });
});

describe("over standard input and output", () => {
  const HELLO = request(0, "initialize", {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "x", version: "1" },
  });

  /** Writes texts to `nous-server mcp`. Returns the lines of its output, once there are so many. */
  async function saidTo(texts: readonly (string | Buffer)[], count: number): Promise<unknown[]> {
    const folder = temporaryFolder();
    const place = ["--data-dir", folder, ...(await databaseOptions(folder))];
    const child = spawn(process.execPath, [PROGRAM, "mcp", ...place], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      out += chunk;
    });
    for (const text of texts) child.stdin.write(text);
    const lines = () => out.split("\n").filter((line) => line !== "");
    await vi.waitFor(() => expect(lines().length).toBeGreaterThanOrEqual(count), {
      timeout: 30_000,
    });
    child.stdin.end();
    const code = await new Promise((resolve) => child.once("exit", resolve));
    expect(code).toBe(0);
    return lines().map((line) => JSON.parse(line));
  }
  const line = (message: unknown) => `${JSON.stringify(message)}\n`;

  test("broken lines, blank lines and batches are answered, and the next line is read", async () => {
    const answers = await saidTo(
      [
        line(HELLO),
        ...BROKEN.map(([text]) => `${text}\n`),
        "\n  \r\n",
        `${JSON.stringify(request(1, "ping"))}\r\n`,
        line([request(2, "ping"), 7, request(3, "ping"), request(4, "ping"), cancel(3)]),
        line([cancel(17)]),
        line({ jsonrpc: "2.0", id: 5, method: "ping", params: null }),
      ],
      BROKEN.length + 4,
    );
    expect(answers.slice(1)).toHaveLength(BROKEN.length + 3);
    for (const [, answer] of BROKEN) expect(answers).toContainEqual(answer);
    expect(answers).toContainEqual(pong(1));
    expect(answers).toContainEqual(pong(5));
    expect(answers.find((answer) => Array.isArray(answer))).toEqual([
      ...[fault(INVALID_REQUEST), pong(2), pong(4)],
    ]);
  });

  test("a byte order mark before the first message does no harm", async () => {
    const answers = await saidTo([`\uFEFF${line(HELLO)}`, line(request(1, "ping"))], 2);
    expect(answers).toEqual([expect.objectContaining({ id: 0 }), pong(1)]);
  });

  test("a line that is too long is answered by an error, and the next line is read", async () => {
    const long = Buffer.from(line(call(1, "remember", { text: "lamp ".repeat(2_400_000) })));
    const answers = await saidTo(
      [line(HELLO), long, line(request(2, "ping")), long, line(request(3, "ping"))],
      5,
    );
    expect(answers.slice(1)).toEqual([
      ...[fault(INVALID_REQUEST), pong(2), fault(INVALID_REQUEST), pong(3)],
    ]);
  });
});
