// Traces and metrics for a collector of OpenTelemetry, by OTLP over HTTP. A span tells the route of a
// request, its status, and how long its parts took. Nothing that a client sends gets into one.

import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { type ExportResult, ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Logger } from "../log.ts";
import { metricDataOf } from "./metric-data.ts";
import { samplerBy } from "./sampler.ts";
import type { DoPart, Followed, Measured, Part, Telemetry } from "./telemetry.ts";

/** How often metrics are sent, in milliseconds. */
const INTERVAL = 60_000;
/** How long the collector may take, and how long the end of the server waits for it. */
const PATIENCE = 5_000;
const PATIENCE_AT_END = 3_000;

export interface OtlpOptions {
  /** The base URL of the collector, without `/v1`. */
  endpoint: string;
  version: string;
  /** The name of this run of the server. */
  instance: string;
  log: Logger;
}

/** Sends traces and metrics to a collector. */
export class Otlp implements Telemetry {
  readonly #endpoint: string;
  readonly #log: Logger;
  readonly #resource: Resource;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #metricExporter: OTLPMetricExporter;
  /** The span of the request that is being handled. */
  readonly #current = new AsyncLocalStorage<Span>();
  readonly #startedAt = Date.now();
  #metrics: (() => Promise<readonly Measured[]>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #fails = false;

  constructor({ endpoint, version, instance, log }: OtlpOptions) {
    this.#endpoint = endpoint.replace(/\/+$/, "");
    this.#log = log;
    this.#resource = resourceFromAttributes({
      ...{ "service.name": "nous-server", "service.version": version },
      "service.instance.id": instance,
    }).merge(detectResources({ detectors: [envDetector] }));
    const exporter = new OTLPTraceExporter(this.#target("traces"));
    const heard = {
      export: (
        spans: Parameters<OTLPTraceExporter["export"]>[0],
        tell: (result: ExportResult) => void,
      ) =>
        exporter.export(spans, (result) => {
          this.#hear(result);
          tell(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
    const spanProcessors = [new BatchSpanProcessor({ exporter: heard })];
    const sampler = samplerBy(process.env);
    this.#provider = new TracerProvider({ resource: this.#resource, spanProcessors, sampler });
    this.#tracer = this.#provider.getTracer("nous-server", version);
    this.#metricExporter = new OTLPMetricExporter(this.#target("metrics"));
  }

  follow(traceparent: string | undefined): Followed {
    // A request within one, as a tool of MCP makes it, belongs to the outer one.
    const outer = this.#current.getStore();
    const kind = outer === undefined ? SpanKind.SERVER : SpanKind.INTERNAL;
    const parent = outer === undefined ? remoteOf(traceparent) : within(outer);
    const span = this.#tracer.startSpan("request", { kind }, parent);
    return {
      traceId: span.isRecording() ? span.spanContext().traceId : undefined,
      run: (handle) => this.#current.run(span, handle),
      end: ({ method, route, status, agent }) => {
        span.updateName(`${method} ${route}`);
        span.setAttributes({
          ...{ "http.request.method": method, "http.route": route },
          "http.response.status_code": status,
          ...(agent === undefined ? {} : { "nous.agent": shortened(agent) }),
        });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  readonly part: DoPart = (name, work) => this.#within(name, work);

  agent<T>(
    operation: string,
    ask: (hear?: (parts: readonly Part[]) => void) => Promise<T>,
  ): Promise<T> {
    return this.#within(`agent ${operation}`, (span) =>
      ask(
        span &&
          ((parts) => {
            for (const { name, from, to } of parts)
              this.#tracer.startSpan(name, { startTime: from }, within(span)).end(to);
          }),
      ),
    );
  }

  /** Does work within a span, if the request that is being handled is recorded. */
  async #within<T>(name: string, work: (span?: Span) => Promise<T>): Promise<T> {
    const outer = this.#current.getStore();
    if (!outer?.isRecording()) return work();
    const span = this.#tracer.startSpan(name, {}, within(outer));
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  measure(metrics: () => Promise<readonly Measured[]>): void {
    this.#metrics = metrics;
    this.#timer = setInterval(() => void this.#sendMetrics(), INTERVAL);
    this.#timer.unref();
  }

  /** Never rejects: what fails is logged. */
  async #sendMetrics(): Promise<void> {
    try {
      const measured = (await this.#metrics?.()) ?? [];
      const metrics = metricDataOf(measured, this.#startedAt, Date.now());
      const scopeMetrics = [{ scope: { name: "nous-server" }, metrics }];
      const sent = { resource: this.#resource, scopeMetrics };
      this.#hear(
        await new Promise<ExportResult>((resolve) => this.#metricExporter.export(sent, resolve)),
      );
    } catch (error) {
      this.#hear({ code: ExportResultCode.FAILED, error: error as Error });
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_AT_END).unref());
    const sent = Promise.allSettled([this.#provider.shutdown(), this.#sendMetrics()]);
    await Promise.race([sent, late]);
  }

  #target(signal: "traces" | "metrics"): { url: string; timeoutMillis: number } {
    return { url: `${this.#endpoint}/v1/${signal}`, timeoutMillis: PATIENCE };
  }

  /** Logs that the collector cannot be reached, once, and that it can again. */
  #hear({ code, error }: ExportResult): void {
    const fails = code !== ExportResultCode.SUCCESS;
    if (fails && !this.#fails)
      this.#log.warn(
        { failure: { message: (error as NodeJS.ErrnoException)?.code ?? error?.message } },
        `The collector at ${this.#endpoint} takes no telemetry: until it does, telemetry is dropped`,
      );
    if (!fails && this.#fails) this.#log.info(`The collector at ${this.#endpoint} takes telemetry`);
    this.#fails = fails;
  }
}

const within = (span: Span): Context => trace.setSpan(ROOT_CONTEXT, span);

/** Returns the context of a client's trace. Its `tracestate` is text of others, and stays out. */
function remoteOf(traceparent: string | undefined): Context {
  const found = parseTraceParent(traceparent ?? "");
  return found === null
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, { ...found, isRemote: true });
}

/** Returns what stands for the name of an agent, which may be that of a person. */
const shortened = (agent: string): string =>
  createHash("sha256").update(agent).digest("hex").slice(0, 12);
