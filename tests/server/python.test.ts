// A Python client, written from the OpenAPI description only, makes all of its calls.

import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sharedServer } from "./support/shared-server.ts";

const CLIENT = fileURLToPath(new URL("./support/python-client.py", import.meta.url));

/** The calls that every client of the API may make. */
const CALLS = `
  GET /health, POST /nodes, GET /nodes, GET /nodes/:id, PATCH /nodes/:id, DELETE /nodes/:id, POST /nodes/check-similar,
  POST /nodes/backfill-embeddings, POST /edges, GET /edges, POST /edges/:id/strengthen, DELETE /edges/:id, POST /search,
  POST /classify-query, POST /decay, GET /graph, POST /clusters, GET /clusters, GET /clusters/:id, PATCH /clusters/:id,
  DELETE /clusters/:id, POST /clusters/:id/members, GET /clusters/:id/members, DELETE /clusters/:id/members/:node_id,
  GET /clusters/:id/health, POST /contradiction/detect, GET /contradiction/queue, POST /contradiction/queue,
  POST /contradiction/resolve, POST /contradiction/batch-resolve`
  .split(",")
  .map((call) => call.trim());

const { server } = sharedServer();

/** The calls of this server, by its own description. */
async function callsThere(): Promise<string[]> {
  const { body } = await server().ask("GET /openapi.json");
  const there = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) => {
    const written = path.replace(/^\/v1/, "").replace(/\{(\w+)\}/g, ":$1");
    return Object.keys(methods).map((method) => `${method.toUpperCase()} ${written}`);
  });
  return CALLS.filter((call) => there.includes(call));
}

async function run(url: string): Promise<{ code: number | null; told: string; wrong: string }> {
  const child = spawn("python3", [CLIENT, url], { stdio: ["ignore", "pipe", "pipe"] });
  let [printed, wrong] = ["", ""];
  child.stdout.on("data", (text) => {
    printed += text;
  });
  child.stderr.on("data", (text) => {
    wrong += text;
  });
  const code = await new Promise<number | null>((ended, failed) => {
    child.once("error", failed);
    child.once("close", ended);
  });
  return { code, told: printed, wrong };
}

test("a Python client can make all calls, and read every field of the answers", async () => {
  const isThere = spawnSync("python3", ["--version"]).status === 0;
  expect(isThere, "python3 is needed for this test: install it, and run it again").toBe(true);
  const { code, told: printed, wrong } = await run(server().url);
  expect({ code, wrong }).toEqual({ code: 0, wrong: "" });
  const there = await callsThere();
  expect(there.length).toBeGreaterThan(12);
  expect(JSON.parse(printed)).toEqual(expect.arrayContaining(there));
});
