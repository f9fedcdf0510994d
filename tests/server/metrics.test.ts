// The Prometheus metrics: numbers that follow the server's work, without names.

import { expect, test } from "vitest";
import { start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

test("metrics count requests by route and status, agents, memories and bytes, and contain no names", async () => {
  const server = await start(temporaryFolder());
  const { ask, create, search } = clientOf(server, "secretagent");
  const { id } = await create({ content_title: "Zanzibar" });
  await create();
  await search("zanzibar");
  await ask(`GET /nodes/${id}`);
  await ask("GET /nodes/n_not_there");
  await ask("POST /nodes", { type: "note" });
  await ask("GET /secretplace");
  const response = await fetch(`${server.url}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  const text = await response.text();
  const values = new Map(
    text.split("\n").flatMap((line) => {
      const [, name, value] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)]];
    }),
  );
  const requests = (method: string, route: string, status: number) =>
    values.get(`nous_requests_total{method="${method}",route="${route}",status="${status}"}`);
  expect(requests("POST", "/v1/nodes", 201)).toBe(2);
  expect(requests("POST", "/v1/nodes", 400)).toBe(1);
  expect(requests("GET", "/v1/nodes/{id}", 200)).toBe(1);
  expect(requests("GET", "/v1/nodes/{id}", 404)).toBe(1);
  expect(requests("GET", "none", 404)).toBe(1);
  expect(values.get('nous_request_seconds_count{method="POST",route="/v1/search"}')).toBe(1);
  expect(values.get("nous_agents_open")).toBe(2);
  expect(values.get("nous_nodes_resident")).toBe(2);
  expect(values.get("nous_resident_bytes")).toBeGreaterThan(2 ** 20);
  expect(values.get("nous_queue_length")).toBe(0);
  expect(values.get("nous_embeddings_waiting")).toBe(0);
  for (const secret of ["secretagent", "secretplace", "zanzibar", id])
    expect(text.toLowerCase()).not.toContain(secret);
  expect((await fetch(`${server.url}/v1/metrics`)).status).toBe(200);
});
