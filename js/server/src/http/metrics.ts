// The server's metrics in the text format of Prometheus. They contain no names of agents, and of
// paths only the routes.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { BackupFigures } from "../backups/schedule.ts";
import type { Measured } from "../telemetry/telemetry.ts";
import type { Occupancy } from "../workers/open-agents.ts";
import type { Pool } from "../workers/pool.ts";

/** Upper bounds in seconds: from a search of few memories to a sweep of very many. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** The route label of requests that match no route. */
const NO_ROUTE = "none";

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<"method" | "route" | "status">;
  readonly #seconds: Histogram<"method" | "route">;
  readonly #pool: Pick<Pool, "measure">;
  readonly #open: Readonly<Record<keyof Occupancy, Gauge>>;
  readonly #waiting: () => number | undefined;
  readonly #withoutVector: Gauge;
  #backedUp: { made: Counter<"result">; last: Gauge } | undefined;

  readonly #backups: () => BackupFigures | undefined;

  /**
   * `waiting` returns how many memories wait for their embedding; undefined if none can. `backups`
   * returns what became of the server's backups; undefined if it makes none.
   */
  constructor(
    pool: Pick<Pool, "measure">,
    waiting: () => number | undefined,
    backups: () => BackupFigures | undefined,
  ) {
    this.#pool = pool;
    this.#waiting = waiting;
    this.#backups = backups;
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: "nous_requests_total",
      help: "Requests that were answered.",
      labelNames: ["method", "route", "status"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "nous_request_seconds",
      help: "How long requests took.",
      labelNames: ["method", "route"],
      buckets: BUCKETS,
      registers,
    });
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    this.#open = {
      agents: gauge("nous_agents_open", "Agents that are open."),
      nodes: gauge("nous_nodes_resident", "Memories of the agents that are open."),
      bytes: gauge(
        "nous_resident_bytes",
        "Bytes that open agents take: of indexes as they are, of the rest about.",
      ),
      turns: gauge(
        "nous_queue_length",
        "Requests that agents have been given and have not answered.",
      ),
    };
    this.#withoutVector = gauge(
      "nous_embeddings_waiting",
      "Memories that wait for their embedding.",
    );
  }

  /** Counts a response. `route` is undefined if the request matched no route. */
  answered(method: string, route: string | undefined, status: number, milliseconds: number): void {
    const labels = { method, route: route ?? NO_ROUTE };
    this.#requests.inc({ ...labels, status });
    this.#seconds.observe(labels, milliseconds / 1000);
  }

  #setBackups(): void {
    const figures = this.#backups();
    if (figures === undefined) return;
    this.#backedUp ??= {
      made: new Counter({
        name: "nous_backups_total",
        help: "Backups since the start, by their result: ok or failed.",
        labelNames: ["result"],
        registers: [this.#registry],
      }),
      last: new Gauge({
        name: "nous_backup_last_success_seconds",
        help: "When the newest whole backup was begun, in seconds since 1970; 0 if there is none.",
        registers: [this.#registry],
      }),
    };
    const { made, last } = this.#backedUp;
    made.reset();
    made.inc({ result: "ok" }, figures.ok);
    made.inc({ result: "failed" }, figures.failed);
    last.set((figures.last ?? 0) / 1000);
  }

  /** Returns the metrics as text, and their content type. */
  async text(): Promise<{ text: string; type: string }> {
    await this.#look();
    return { text: await this.#registry.metrics(), type: this.#registry.contentType };
  }

  /** Returns the metrics as values. */
  async values(): Promise<readonly Measured[]> {
    await this.#look();
    return this.#registry.getMetricsAsJSON() as Promise<unknown> as Promise<Measured[]>;
  }

  /** Sets what is measured when somebody looks. */
  async #look(): Promise<void> {
    const threads = await this.#pool.measure();
    for (const [name, gauge] of Object.entries(this.#open) as [keyof Occupancy, Gauge][]) {
      gauge.set(threads.reduce((sum, occupancy) => sum + occupancy[name], 0));
    }
    this.#withoutVector.set(this.#waiting() ?? 0);
    this.#setBackups();
  }
}
