// Traces and metrics that a collector of OpenTelemetry gets: what they tell, what they never tell, and a
// collector that cannot be reached.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, vi } from "vitest";
import { createLog } from "../../js/server/src/log.ts";
import { Otlp } from "../../js/server/src/telemetry/otlp.ts";
import { amount, runs, some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import { type Collector, type Span, startCollector } from "./support/collector.ts";
import { startProvider } from "./support/embedding-provider.ts";
import { keyIn } from "./support/keys.ts";
import { type Running, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const SERVER = 2;
const INTERNAL = 1;
const ERROR = 2;

interface World {
  collector: Collector;
  server: Running;
}

async function world(options: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<World> {
  const collector = await startCollector();
  const given = ["--otlp-endpoint", `${collector.url}/`, "--log-level", "debug", ...options];
  return { collector, server: await start(temporaryFolder(), given, "test", { env }) };
}

const LESSON = { type: "concept", content_title: "Funding squeeze", content_body: "It reverts." };
const childrenOf = (spans: readonly Span[], { spanId }: Span) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId);
const named = (spans: readonly Span[], name: string): Span => {
  const found = spans.filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0]!;
};
const names = (spans: readonly Span[]) => spans.map(({ name }) => name).sort();

describe("a trace", () => {
  test("tells the route, the status, and how long the parts took, within the client's trace", async () => {
    const { collector, server } = await world();
    const traceparent = `00-${TRACE}-${PARENT}-01`;
    const headers = { traceparent, tracestate: "vendor=secret", "x-nous-agent": "mira" };
    await server.ask("POST /nodes", LESSON, headers);
    await server.ask("POST /search", { query: "squeeze" }, headers);
    await server.ask("GET /nodes/n_none", undefined, headers);
    await server.end();
    const spans = collector.spans();
    for (const { traceId } of spans) expect(traceId).toBe(TRACE);
    const agent = createHash("sha256").update("mira").digest("hex").slice(0, 12);
    const search = named(spans, "POST /v1/search");
    expect(search).toMatchObject({
      ...{ parentSpanId: PARENT, kind: SERVER, status: 0 },
      attributes: {
        ...{ "http.request.method": "POST", "http.route": "/v1/search" },
        ...{ "http.response.status_code": 200, "nous.agent": agent },
      },
    });
    expect(Object.keys(search.attributes)).toHaveLength(4);
    expect(named(spans, "GET /v1/nodes/{id}").attributes).toMatchObject({
      "http.response.status_code": 404,
    });
    const turn = named(childrenOf(spans, search), "agent search");
    expect(names(childrenOf(spans, turn))).toEqual(["read rows", "search index", "turn"]);
    const written = named(childrenOf(spans, named(spans, "POST /v1/nodes")), "agent createNode");
    expect(names(childrenOf(spans, written))).toEqual(["turn", "write rows"]);
    for (const span of spans) {
      expect(span.to).toBeGreaterThanOrEqual(span.from);
      for (const part of childrenOf(spans, span))
        expect(part.attributes).toEqual({
          ...(part.kind === SERVER ? part.attributes : {}),
        });
    }
    const lines = server
      .log()
      .split("\n")
      .filter((line) => line.includes('"route":"/v1/'));
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ trace_id: TRACE });
    expect(collector.texts.join()).not.toContain("secret");
  });

  test("is the server's own if the client names none, and none if the client records none", async () => {
    const { collector, server } = await world();
    const wrong = ["", "x", `00-${"0".repeat(32)}-${PARENT}-01`, `ff-${TRACE}-${PARENT}-01`];
    for (const traceparent of wrong) await server.ask("GET /health", undefined, { traceparent });
    await server.ask("GET /health");
    await server.ask("GET /health", undefined, { traceparent: `00-${TRACE}-${PARENT}-00` });
    await server.end();
    const spans = collector.spans().filter(({ name }) => name === "GET /v1/health");
    expect(spans).toHaveLength(wrong.length + 1);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(spans.length);
    for (const { traceId, parentSpanId } of spans) {
      expect(traceId).not.toBe(TRACE);
      expect(parentSpanId).toBeUndefined();
    }
  });

  test("is recorded as OTEL_TRACES_SAMPLER says", async () => {
    const requests = amount(200, 60);
    const share = 0.25;
    // Of the share, outside of this in one of 10,000 runs.
    const most = 4 * Math.sqrt(requests * share * (1 - share));
    const sampled = async (name: string, flag?: "00" | "01") => {
      const { collector, server } = await world([], {
        OTEL_TRACES_SAMPLER: name,
        OTEL_TRACES_SAMPLER_ARG: String(share),
      });
      for (let at = 0; at < requests; at++) {
        const id = createHash("sha256").update(String(at)).digest("hex").slice(0, 32);
        const headers = flag === undefined ? {} : { traceparent: `00-${id}-${PARENT}-${flag}` };
        await server.ask("GET /health", undefined, headers);
      }
      await server.end();
      const roots = collector.spans().filter(({ name: one }) => one === "GET /v1/health");
      // A part is recorded with its request, and only then.
      expect(names(collector.spans()).length).toBe(roots.length * 3);
      return roots.length;
    };
    const samplers: [number, ...Parameters<typeof sampled>][] = [
      [1, "always_on", "00"],
      [0, "always_off", "01"],
      [0, "parentbased_always_off"],
      [1, "parentbased_traceidratio", "01"],
      [0, "parentbased_traceidratio", "00"],
      [share, "traceidratio", "00"],
      [share, "parentbased_traceidratio"],
    ];
    for (const [wanted, ...of] of some(samplers, 3)) {
      const difference = Math.abs((await sampled(...of)) - wanted * requests);
      expect(difference, of.join(" ")).toBeLessThanOrEqual(wanted === share ? most : 0);
    }
  });

  test("is refused a sampler that is none, and a share that is none", async () => {
    const refused = (env: NodeJS.ProcessEnv) =>
      expect(start(temporaryFolder(), ["--otlp-endpoint", "http://127.0.0.1:1"], "test", { env }))
        .rejects;
    for (const name of ["ratio", "constructor"])
      await refused({ OTEL_TRACES_SAMPLER: name }).toThrow(
        /OTEL_TRACES_SAMPLER is "(?:ratio|constructor)": name one of parentbased_always_on, always_on, /,
      );
    for (const OTEL_TRACES_SAMPLER_ARG of ["25%", "1.5", "-0.1"])
      await refused({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG }).toThrow(
        /OTEL_TRACES_SAMPLER_ARG is .*: must be a number from 0 to 1/,
      );
  });

  test("has the requests that a tool of MCP makes, and the embedding of its question", async () => {
    const provider = await startProvider();
    const { collector, server } = await world([
      ...["--embeddings-provider", "openai-compatible", "--embeddings-base-url", provider.url],
      ...["--embeddings-model", "m", "--ranking", "signals"],
    ]);
    const call = (name: string, given: object) => ({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
    });
    await server.ask("POST //mcp", call("remember", { text: "The kayak hangs in the boathouse." }));
    expect(await server.ask("POST /nodes/backfill-embeddings", {})).toMatchObject({ status: 200 });
    await server.ask("POST //mcp", call("recall", { query: "How does what hangs there float?" }));
    await server.end();
    const spans = collector.spans();
    const searches = spans.filter(({ name }) => name === "POST /v1/search");
    expect(searches).toMatchObject([{ kind: INTERNAL }]);
    const outer = spans.find(({ spanId }) => spanId === searches[0]!.parentSpanId);
    expect(outer).toMatchObject({ name: "POST /mcp", kind: SERVER });
    expect(names(childrenOf(spans, searches[0]!))).toEqual(["agent search", "embed question"]);
  });

  test("follows no file and no unknown path", async () => {
    const { collector, server } = await world();
    for (const path of ["//no/such/path", "//livez", "//"]) await server.ask(`GET ${path}`);
    expect(await server.ask("POST /search", { query: 7 })).toMatchObject({ status: 400 });
    await server.end();
    expect(names(collector.spans())).toEqual(["POST /v1/search"]);
    expect(collector.spans()[0]).toMatchObject({ status: 0 });
  });

  test("tells a failure of the server, and of a part, without its message", async () => {
    const collector = await startCollector();
    const log = createLog({ log_level: "silent", log_format: "json" });
    const otlp = new Otlp({ endpoint: collector.url, version: "1", instance: "x", log });
    const followed = otlp.follow(undefined);
    const failing = () => Promise.reject(new Error("of Mira"));
    await expect(followed.run(() => otlp.part("embed question", failing))).rejects.toThrow("Mira");
    followed.end({ method: "GET", route: "/v1/nodes", status: 500, agent: undefined });
    await otlp.close();
    const spans = collector.spans();
    expect(named(spans, "GET /v1/nodes").status).toBe(ERROR);
    expect(named(spans, "embed question").status).toBe(ERROR);
    expect(collector.texts.join()).not.toContain("Mira");
  });
});

test("metrics are those of /metrics, and the sender is named as OTEL_ variables say", async () => {
  const { collector, server } = await world([], {
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=of-the-collector",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
  });
  for (let at = 0; at < 3; at++) await server.ask("GET /health");
  await server.ask("POST /nodes", LESSON);
  const text = await (await fetch(`${server.url}/metrics`)).text();
  await server.end();
  expect(collector.resource()).toMatchObject({
    ...{ "service.name": "nous-server", "service.version": expect.stringMatching(/^\d/) },
    ...{ "deployment.environment.name": "test", "service.instance.id": expect.any(String) },
  });
  expect(collector.headers.length).toBeGreaterThanOrEqual(2);
  for (const headers of collector.headers)
    expect(headers).toMatchObject({ "api-key": "of-the-collector", "content-encoding": "gzip" });
  const health = { method: "GET", route: "/v1/health" };
  expect(collector.points("nous_requests_total")).toContainEqual({
    ...{ attributes: { ...health, status: "200" }, value: 3 },
  });
  expect(collector.points("nous_agents_open")).toEqual([{ attributes: {}, value: 1 }]);
  expect(collector.points("nous_nodes_resident")).toEqual([{ attributes: {}, value: 1 }]);
  const times = collector.points("nous_request_seconds");
  const one = times.find(({ attributes }) => attributes.route === "/v1/health")!;
  expect(one).toMatchObject({ attributes: health, value: 3 });
  expect(one.buckets!.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(one.buckets).toHaveLength(one.bounds!.length + 1);
  // Each bucket of the registry counts those below, too.
  const below = [
    ...text.matchAll(/^nous_request_seconds_bucket\{le="([^"]+)",.*health"\} (\d+)$/gm),
  ];
  expect(below.length).toBe(one.buckets!.length);
  let sum = 0;
  for (const [at, [, le, count]] of below.entries()) {
    sum += one.buckets![at]!;
    expect([Number(le === "+Inf" ? Infinity : le), sum]).toEqual([
      one.bounds![at] ?? Number.POSITIVE_INFINITY,
      Number(count),
    ]);
  }
  const names = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
  for (const name of names) expect(collector.points(name).length, name).toBeGreaterThan(0);
});

/** Returns all texts in a value. */
const textsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)])
      : [];

test("nothing that a client sends is told: no text, no question, no name, no id and no key", async () => {
  const collector = await startCollector();
  const folder = temporaryFolder();
  const { key, id: keyId } = await keyIn(folder, {
    ...{ agents: "all", scopes: ["memory", "admin"], creates_agents: true },
  });
  const server = await start(folder, ["--otlp-endpoint", collector.url]);
  const told = new Set<string>([key, keyId]);
  const letters = fc.string({ unit: "grapheme", minLength: 12, maxLength: 60 });
  const text = letters.filter((one) => one.trim().length >= 12);
  const name = fc.stringMatching(/^[a-z0-9-]{12,40}$/);
  await fc.assert(
    fc.asyncProperty(text, text, name, name, async (content, query, agent, other) => {
      for (const one of [content, query, agent, other]) told.add(one);
      const headers = {
        ...{ authorization: `Bearer ${key}`, "x-nous-agent": agent, "x-request-id": other },
        ...{ "user-agent": other, "idempotency-key": other, tracestate: `${other}=${other}` },
      };
      const made = await server.ask(
        "POST /nodes",
        { ...LESSON, content_title: content, content_body: content },
        headers,
      );
      told.add(made.body.id);
      await server.ask(`GET /nodes/${made.body.id}`, undefined, headers);
      await server.ask("POST /search", { query }, headers);
      await server.ask("POST /context", { input: query }, headers);
      await server.ask("POST /remember", { text: content, user: other }, headers);
      await server.ask(
        `GET /nodes?${new URLSearchParams({ tag: other, x: query })}`,
        undefined,
        headers,
      );
      await server.ask(`DELETE /agents/${other}`, undefined, headers);
      await server.ask(`GET //${other}/${encodeURIComponent(content)}`, undefined, headers);
      await server.ask("POST /search", { [other]: query }, headers);
    }),
    runs(amount(300)),
  );
  await server.end();
  const spans = collector.spans();
  expect(names(spans)).toEqual(expect.arrayContaining(["POST /v1/context", "search index"]));
  expect(collector.points("nous_requests_total").length).toBeGreaterThan(3);
  const sent = collector.texts.flatMap((one) => textsIn(JSON.parse(one))).join("\n");
  for (const one of told) expect(sent).not.toContain(one);
});

describe("a collector", () => {
  test("that no setting names gets nothing, whatever the variables of OpenTelemetry say", async () => {
    const collector = await startCollector();
    const server = await start(temporaryFolder(), [], "test", {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    const { headers } = await server.ask("GET /health", undefined, {
      traceparent: `00-${TRACE}-${PARENT}-01`,
    });
    expect(headers.get("traceparent")).toBeNull();
    await server.end();
    expect(collector.texts).toEqual([]);
    expect(server.log()).not.toContain("trace_id");
  });

  test("that cannot be reached costs nothing but a line of the log, and is used once it can", async () => {
    const { collector, server } = await world();
    await collector.close();
    const warned = () => server.log().match(/takes no telemetry/g)?.length ?? 0;
    const ask = async () => expect(await server.ask("GET /health")).toMatchObject({ status: 200 });
    await ask();
    // Spans are sent after five seconds, and tried for five more.
    await vi.waitFor(() => expect(warned()).toBe(1), { timeout: 60_000, interval: 100 });
    await ask();
    expect(await server.ask("GET //readyz")).toMatchObject({ status: 200 });
    await collector.open();
    await vi.waitFor(
      async () => {
        await ask();
        expect(server.log()).toContain(" takes telemetry");
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(warned()).toBe(1);
    expect(collector.spans().length).toBeGreaterThan(0);
  });

  test("that is gone does not keep a server that ends", async () => {
    const { collector, server } = await world();
    await server.ask("GET /health");
    await collector.close();
    expect(await server.end()).toBe(0);
    expect(server.log()).toContain("Stopped");
  });

  test("has to be a URL with http or https", async () => {
    for (const url of ["127.0.0.1:4318", "ftp://x.org", "http://me:pw@x.org"])
      await expect(start(temporaryFolder(), ["--otlp-endpoint", url])).rejects.toThrow(
        /--otlp-endpoint is .*: must be a URL with http or https/,
      );
    for (const url of ["http://x.org/otlp?key=1", "http://x.org/#otlp"])
      await expect(start(temporaryFolder(), ["--otlp-endpoint", url])).rejects.toThrow(
        /--otlp-endpoint is .*: must have no query and no fragment/,
      );
  });
});
