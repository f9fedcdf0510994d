// A collector of OpenTelemetry for tests: a real HTTP server on this machine that keeps what it gets.

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

type Attributes = Record<string, unknown>;

export interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  kind: number;
  attributes: Attributes;
  status: number;
  /** Nanoseconds since 1970. */
  from: bigint;
  to: bigint;
}

/** A point of a metric, with the sizes of its buckets if it is a histogram. */
export interface Point {
  attributes: Attributes;
  value: number;
  sum?: number;
  buckets?: number[];
  bounds?: number[];
}

export interface Collector {
  url: string;
  /** What came, as text, in order. */
  texts: string[];
  /** The headers of all requests. */
  headers: IncomingHttpHeaders[];
  spans(): Span[];
  /** Returns the last points of a metric. */
  points(name: string): Point[];
  /** Returns what the sender tells of itself. */
  resource(): Attributes;
  /** The status of answers. */
  status: number;
  close(): Promise<void>;
  /** Listens again, where it did before. */
  open(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the messages of OTLP, which have many shapes
type Message = any;

const attributesOf = (list: Message[] = []): Attributes =>
  Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );

export async function startCollector(): Promise<Collector> {
  const got: { path: string; body: Message }[] = [];
  const listen = (port: number) =>
    new Promise<Server>((resolve) => {
      const server = createServer(async (request, response) => {
        const text = await textOf(request);
        collector.headers.push(request.headers);
        if (collector.status === 200) {
          collector.texts.push(text);
          got.push({ path: request.url!, body: JSON.parse(text) });
        }
        response.writeHead(collector.status, { "content-type": "application/json" }).end("{}");
      });
      server.listen(port, "127.0.0.1", () => resolve(server));
    });
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  const sent = (path: string, name: string): Message[] =>
    got.filter((one) => one.path === path).flatMap(({ body }) => body[name]);
  const collector: Collector = {
    url: `http://127.0.0.1:${port}`,
    texts: [],
    headers: [],
    status: 200,
    spans: () =>
      sent("/v1/traces", "resourceSpans")
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => ({
          ...{ name: span.name, traceId: span.traceId, spanId: span.spanId, kind: span.kind },
          parentSpanId: span.parentSpanId || undefined,
          attributes: attributesOf(span.attributes),
          status: span.status?.code ?? 0,
          from: BigInt(span.startTimeUnixNano),
          to: BigInt(span.endTimeUnixNano),
        })),
    points: (name) => {
      const metric = sent("/v1/metrics", "resourceMetrics")
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics)
        .findLast((one) => one.name === name);
      const { dataPoints = [] } = metric?.sum ?? metric?.gauge ?? metric?.histogram ?? {};
      return dataPoints.map((point: Message) => ({
        attributes: attributesOf(point.attributes),
        value: Number(point.asDouble ?? point.asInt ?? point.count),
        ...(point.bucketCounts && {
          sum: point.sum,
          buckets: point.bucketCounts.map(Number),
          bounds: point.explicitBounds,
        }),
      }));
    },
    resource: () => attributesOf(sent("/v1/traces", "resourceSpans")[0]?.resource.attributes),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    open: async () => {
      server = await listen(port);
    },
  };
  onTestFinished(() => collector.close());
  return collector;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
}
