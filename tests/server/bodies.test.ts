// Large bodies: the HTTP thread answers other requests between two of them, and parses none whose
// client has disconnected.

import { connect, type Socket } from "node:net";
import { OpenAPIHono } from "@hono/zod-openapi";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { addRoute, type Carried } from "../../js/server/src/http/route.ts";
import { Refusal } from "../../js/server/src/refusal.ts";
import { wellFormed } from "../../js/server/src/text.ts";
import { AskerGone } from "../../js/server/src/workers/shares.ts";
import { Unsent } from "../../js/server/src/workers/unsent.ts";
import { start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const LARGE = "x".repeat(1_000_000);

/** The steps, in order. */
const order: string[] = [];
let app: OpenAPIHono<Carried>;

beforeEach(() => {
  order.length = 0;
  app = new OpenAPIHono<Carried>();
  app.use(async (context, next) => {
    context.set("caller", { scopes: ["memory"], agents: "all", creates_agents: true });
    await next();
  });
  app.onError((error) => {
    if (error instanceof AskerGone) return new Response(null, { status: 499 });
    return new Response(null, { status: error instanceof Refusal ? error.status : 500 });
  });
  const body = z.object({ name: z.string().overwrite(wellFormed), rest: z.string() });
  const operation = {
    method: "post",
    path: "/taken",
    summary: "",
    scope: "memory",
    body,
    answer: z.any(),
  };
  const act = ({ body: { name } }: { body: { name: string } }) => {
    order.push(name);
    return "{}";
  };
  addRoute(app, operation as never, act as never, {
    isOfAgent: false,
    refusesUnknown: true,
    zoneOf: () => "UTC",
    unsent: new Unsent(),
  });
});

const post = (body: string, outgoing = { destroyed: false, once: () => {} }) =>
  app.request(
    "/v1/taken",
    { method: "POST", headers: { "content-type": "application/json" }, body },
    { outgoing },
  );
const named = (name: string, rest = "") => post(JSON.stringify({ name, rest }));

test("each large body has a turn of its own, and small ones go in between", async () => {
  const names = Array.from({ length: 20 }, (_, place) => `large ${place}`);
  const asked = names.map((name) => named(name, LARGE));
  await asked[0];
  await named("small");
  await Promise.all(asked);
  expect(order.filter((name) => name !== "small")).toEqual(names);
  expect(order.indexOf("small")).toBeLessThan(order.indexOf("large 19"));
});

describe("a body whose client has disconnected is not parsed", () => {
  test.each([
    ["a large one", LARGE],
    ["a small one", "{"],
  ])("%s", async (_, body) => {
    expect((await post(body)).status).toBe(400);
    expect((await post(body, { destroyed: true, once: () => {} })).status).toBe(499);
  });
});

test.each(["gzip", "br", "identity, gzip"])(
  "a body in the encoding %s is refused",
  async (encoding) => {
    const response = await app.request("/v1/taken", {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": encoding },
      body: JSON.stringify({ name: "small", rest: "" }),
    });
    expect(response.status).toBe(415);
    expect(order).toEqual([]);
  },
);

test("a body that says it has no encoding is taken", async () => {
  const headers = { "content-type": "application/json", "content-encoding": "identity" };
  const body = JSON.stringify({ name: "small", rest: "" });
  expect((await app.request("/v1/taken", { method: "POST", headers, body })).status).toBe(200);
});

test("all large bodies together are bounded, and what they took is given back", {
  timeout: 120_000,
}, async () => {
  const server = await start(temporaryFolder(), ["--workers", "1"]);
  const { ask, search, create } = clientOf(server, "default");
  const { hostname, port } = new URL(server.url);
  const [MAX_BYTES, LENGTH] = [256 * 2 ** 20, 8 * 2 ** 20];
  const fitting = MAX_BYTES / LENGTH;
  const refused: string[] = [];
  /** Sends the length of a body, and nothing of the body. */
  const announce = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(socket));
      socket.write(
        `POST /v1/nodes HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${LENGTH}\r\n\r\n`,
      );
      socket.once("data", (answer) => refused.push(String(answer)));
      socket.once("error", reject);
    });
  const sockets = await Promise.all(Array.from({ length: fitting + 8 }, announce));
  await vi.waitFor(() => expect(refused).toHaveLength(8), { timeout: 60_000 });
  for (const answer of refused)
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*too many large requests/i);
  // Small requests are served.
  await create();
  expect(await search("squeeze")).toHaveLength(1);
  const long = { type: "concept", content_title: "Long", content_body: LARGE };
  expect((await ask("POST /nodes", long)).status).toBe(503);
  // A chunked body counts only once it is large.
  const chunked = (body: string) =>
    fetch(`${server.url}/v1/nodes`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob([body]).stream(),
      duplex: "half",
    } as RequestInit).then(({ status }) => status);
  expect(await chunked(JSON.stringify({ ...long, content_body: "Short" }))).toBe(201);
  expect(await chunked(JSON.stringify(long))).toBe(503);
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => expect((await ask("POST /nodes", long)).status).toBe(201), {
    timeout: 60_000,
  });
  expect(await chunked(JSON.stringify(long))).toBe(201);
  // Answered requests hold no room.
  for (let turn = 0; turn < 3; turn++) expect((await ask("POST /nodes", long)).status).toBe(201);
});
