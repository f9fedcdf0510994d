// Large bodies: the HTTP thread answers other requests between two of them, and parses none whose
// client has disconnected.

import { OpenAPIHono } from "@hono/zod-openapi";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { addRoute, type Carried } from "../../js/server/src/http/route.ts";
import { Refusal } from "../../js/server/src/refusal.ts";
import { wellFormed } from "../../js/server/src/text.ts";
import { AskerGone } from "../../js/server/src/workers/shares.ts";
import { Unsent } from "../../js/server/src/workers/unsent.ts";

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
  addRoute(app, operation as never, act as never, { isOfAgent: false, unsent: new Unsent() });
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
