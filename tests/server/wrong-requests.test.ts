// Wrong and unusual requests to every call, generated from the server's own OpenAPI description:
// each is refused in the documented form, or answered as documented, and the server stays sound.
//
// WRONG_REQUESTS is their number (`npm run long -- wrong-requests` sends very many).

import { spawnSync } from "node:child_process";
import { Agent } from "node:http";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { amount, isFull, runs } from "../support/amount.ts";
import { type Known, type Request, requestsTo } from "./support/generated-requests.ts";
import { type Described, type Description, type Document, read } from "./support/openapi.ts";
import { type PlainAnswer, send, write } from "./support/raw-http.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const REQUESTS = Number(process.env.WRONG_REQUESTS ?? amount(6_000));
/** Concurrent requests. */
const AT_ONCE = 8;
/** How often more requests go to calls that were never refused, or always. */
const MAX_ROUNDS = 5;
/** Batches after which deleted objects are created again. */
const RENEWED_EVERY = 5;
/** The agent of the requests. */
const AGENT = "strange";

/**
 * Objects to request. Ids that the server chooses have names, which are replaced in each request.
 */
const NODES = ["n_1", "n_2", "n_3"];
const EDGE = "edge_there";
const CLUSTER = "cluster_there";
const CONFLICT = "conflict_there";
/** An agent that may be deleted. */
const VICTIM = "victim";
const NODE_FIELDS = [
  "node_id",
  "source_id",
  "target_id",
  "old_node_id",
  "new_node_id",
  "ids",
  "entry_id",
];
const KNOWN: Known = {
  preset: ["general", "trading"],
  nodes: NODES,
  edges: [EDGE],
  clusters: [CLUSTER],
  ...Object.fromEntries(NODE_FIELDS.map((field) => [field, NODES])),
  cluster_ids: [CLUSTER],
  conflict_id: [CONFLICT],
  agent: [VICTIM],
};

/** Creates the missing objects; returns their ids by the names above. */
async function renew(url: string, connections: Agent): Promise<Map<string, string>> {
  const post = async (path: string, fields: object, agent = AGENT) => {
    const headers = { "content-type": "application/json", "x-nous-agent": agent };
    const request = { method: "POST", path: `/v1${path}`, headers, body: JSON.stringify(fields) };
    return JSON.parse((await send(url, request, connections)).text).id as string;
  };
  const node = { type: "concept", content_title: "Funding squeeze", embedding: [1, 0, 1] };
  await post("/nodes/batch", { items: NODES.map((id) => ({ id, ...node })) });
  await post("/nodes", node, VICTIM);
  const cluster = await post("/clusters", { name: "Majors" });
  await Promise.all(NODES.map((node_id) => post(`/clusters/${cluster}/members`, { node_id })));
  return new Map([
    [EDGE, await post("/edges", { source_id: "n_1", target_id: "n_2", type: "causes" })],
    [CLUSTER, cluster],
    [CONFLICT, await post("/contradiction/queue", { old_node_id: "n_1", new_node_id: "n_2" })],
  ]);
}

/** The request with the ids of existing objects. */
function filled(request: Request, ids: ReadonlyMap<string, string>): Request {
  const fill = (text: string) =>
    text.replace(/\b(?:edge|cluster|conflict)_there\b/g, (name) => ids.get(name) ?? name);
  const { path, body } = request;
  return { ...request, path: fill(path), body: typeof body === "string" ? fill(body) : body };
}

/** The fault of an answer. */
function faultOf(
  { isWrong, isAstray }: Request,
  { answers }: Described,
  { refusal }: Description,
  { status, type, text }: PlainAnswer,
): string | undefined {
  if (status >= 500) return "the server failed";
  if (isWrong && status < 400) return "a wrong request was taken";
  // Another call may have taken it.
  if (isAstray && status < 400) return undefined;
  const check = answers.get(status) ?? (isAstray ? refusal : undefined);
  if (check === undefined) return "the status is not documented";
  if (!type.startsWith("application/json")) return "the answer is not JSON";
  return check(JSON.parse(text));
}

/** The number of answers of each kind, by call. */
class Tally {
  readonly #counts = new Map<string, { done: number; refused: number }>();

  add(call: string, status: number): void {
    const count = this.#counts.get(call) ?? { done: 0, refused: 0 };
    this.#counts.set(call, count);
    count[status < 300 ? "done" : "refused"] += 1;
  }

  /** Calls that never succeeded, or were never refused. */
  onesided(calls: readonly string[]): string[] {
    return calls.filter((call) => {
      const { done, refused } = this.#counts.get(call) ?? { done: 0, refused: 0 };
      return done === 0 || refused === 0;
    });
  }
}

/** Sends `count` requests to some calls in batches, and fails at the first wrong answer. */
async function sendAll(
  server: Running,
  description: Description,
  tally: Tally,
  count: number = REQUESTS,
  calls: readonly string[] = description.operations.map(({ name }) => name),
): Promise<void> {
  const operations = new Map(
    description.operations.map((operation) => [operation.name, operation]),
  );
  const connections = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  onTestFinished(() => connections.destroy());
  let [batch, ids, isGone] = [0, new Map<string, string>(), false];
  const one = async (request: Request) => {
    const answer = await send(server.url, filled(request, ids), connections);
    tally.add(request.to, answer.status);
    // Without its cluster, no request about members would succeed until the next renewal.
    isGone ||= request.to === "deleteCluster" && answer.status < 300;
    const fault = faultOf(request, operations.get(request.to)!, description, answer);
    if (fault === undefined) return;
    throw new Error(
      `${fault}: ${answer.status} ${answer.text.slice(0, 500)} to ${fc.stringify(request)}`,
    );
  };
  const length = { minLength: AT_ONCE, maxLength: AT_ONCE };
  const requests = requestsTo(description, AGENT, KNOWN).filter(({ to }) => calls.includes(to));
  const batches = fc.array(requests, length);
  const property = fc.asyncProperty(batches, async (requests) => {
    if (batch++ % RENEWED_EVERY === 0 || isGone) ids = await renew(server.url, connections);
    isGone = false;
    await Promise.all(requests.map(one));
  });
  await fc.assert(property, runs(Math.ceil(count / AT_ONCE)));
}

const { server } = sharedServer();

test(`${REQUESTS} requests, most of them wrong, get documented answers`, {
  timeout: 120_000 + REQUESTS * 50,
}, async () => {
  const strange = await start(temporaryFolder(), [
    "--durability",
    "normal",
    "--log-level",
    "error",
  ]);
  const { create, search, ask } = clientOf(strange, AGENT);
  const kept = await create({
    id: "kept",
    content_title: "Quetzalcoatl",
    content_body: "who was there before",
  });
  const description = read((await strange.ask("GET /openapi.json")).body as Document);
  const tally = new Tally();
  const began = performance.now();
  await sendAll(strange, description, tally);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${REQUESTS} requests in ${seconds} s`);

  const calls = description.operations.filter(
    ({ answers }) => answers.has(400) || answers.has(404),
  );
  // Few requests do not reach every call in both ways. The others get more, until they are.
  const names = calls.map(({ name }) => name);
  let left = isFull ? tally.onesided(names) : [];
  for (let round = 0; left.length > 0 && round < MAX_ROUNDS; round++) {
    await sendAll(strange, description, tally, 200 * left.length, left);
    left = tally.onesided(left);
  }
  expect(left).toEqual([]);
  expect(await search("Quetzalcoatl", { limit: 1 })).toEqual([kept.id]);
  expect((await ask("GET /nodes/kept?recall=false")).body).toMatchObject({
    content_title: kept.content_title,
    version: 1,
  });
  expect(strange.log()).toBe("");
  expect(await strange.end()).toBe(0);
  const check = spawnSync(process.execPath, [PROGRAM, "check", "--data-dir", strange.dataDir], {
    encoding: "utf8",
  });
  expect(check).toMatchObject({ status: 0 });
});

describe("malformed HTTP", () => {
  const HOST = "host: 127.0.0.1\r\n";
  const POST = `POST /v1/search HTTP/1.1\r\n${HOST}content-type: application/json\r\n`;
  const CLOSE = "connection: close\r\n\r\n";

  test.each([
    [400, "bytes of another protocol", "\x16\x03\x01\x02\x00\x01\r\n\r\n"],
    [400, "a method that nobody knows", `FROB /v1/health HTTP/1.1\r\n${HOST}${CLOSE}`],
    [400, "lines that end otherwise", "GET /v1/health HTTP/1.1\nhost: 127.0.0.1\n\n"],
    [400, "a path that is none", `GET v1/health HTTP/1.1\r\n${HOST}${CLOSE}`],
    [400, "a path with a backslash", `GET /v1\\health HTTP/1.1\r\n${HOST}${CLOSE}`],
    [400, "two lengths", `${POST}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`],
    [
      400,
      "a length and pieces",
      `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [400, "a length below 0", `${POST}content-length: -1\r\n\r\n{}`],
    [400, "a piece without a length", `${POST}transfer-encoding: chunked\r\n\r\nzz\r\n{}`],
    [400, "no Host", `GET /v1/health HTTP/1.1\r\n${CLOSE}`],
    [
      417,
      "an expectation that nobody knows",
      `${POST}expect: miracles\r\ncontent-length: 0\r\n${CLOSE}`,
    ],
    [
      431,
      "a header that is too large",
      `GET /v1/health HTTP/1.1\r\n${HOST}x: ${"y".repeat(20_000)}\r\n\r\n`,
    ],
    [431, "a path that is too long", `GET /v1/${"y".repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`],
  ])("%i for %s", async (status, _, text) => {
    const answer = await write(server().url, text);
    expect(Number(answer.split(" ")[1])).toBe(status);
    const [, body] = answer.split("\r\n\r\n");
    expect(JSON.parse(/\{.*\}/s.exec(body!)?.[0] ?? "null")).toEqual({ error: expect.any(String) });
  });

  test("a client that disconnects within its body causes no server error", async () => {
    for (const rest of [
      "content-length: 100\r\n\r\n{",
      "transfer-encoding: chunked\r\n\r\n9\r\n{",
    ]) {
      await write(server().url, `${POST}x-request-id: gone\r\n${rest}`, { goesAway: true });
    }
    const answered = () =>
      server()
        .log()
        .match(/"request_id":"gone".*"status":400/g) ?? [];
    await expect.poll(answered, { timeout: 20_000 }).toHaveLength(2);
    expect(server().log()).not.toContain('"level":"error"');
  });
});
