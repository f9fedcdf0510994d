// Reads the memory of an agent from a running nous-server, over its public API, and sends changes
// to it. The key is held here, in the worker's memory, and nowhere else.

import type { JsonObject as Json } from "nous-memory";
import {
  type Followed,
  followMemory,
  type Graph,
  type MemoryNode,
  NousClient,
  NousRequestError,
} from "nous-server/client";
import { addRow, type Coming, memoryIn, type Rows } from "./lines.ts";
import type { Decision, Metric, Resolution, ServerState } from "./records.ts";

/** Something that was written to the memory. */
export type Event = Followed;

/** A server and an agent of it. */
export interface Address {
  /** With its scheme, without `/v1`. */
  url: string;
  agent: string;
  key: string;
}

/** The most memories of a page of a list. */
const AT_ONCE = 200;
/** The most pages that equal the one before them: a list may have a few without a row. */
const MAX_SAME = 100;
const TIMEOUT = 30_000;
/** How often rows are sent to a server that asks to wait. */
const MAX_TRIES = 5;
/** The most names of agents that are asked for. */
const MAX_AGENTS = 100;
/** Hosts that the page's Content-Security-Policy lets it ask without HTTPS. */
const LOCAL = /^(?:localhost|127\.0\.0\.1)$/;

/** Thrown if a server cannot be used. The message names the remedy. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}

/**
 * Returns the pages of a list, in order. The next one is asked for while a page is worked on.
 *
 * @throws {ServerError} If the list has no end: a cursor comes again, or page after page is the same.
 */
async function* pagesOf<Page extends { next_cursor?: string | null }>(
  read: (from: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  const known = new Set<string>();
  let before = "";
  let same = 0;
  for (let next = read({}); ; ) {
    const page = await next;
    const { next_cursor: cursor, ...rows } = page;
    if (cursor == null) {
      yield page;
      return;
    }
    // Pages that begin alike are the same.
    const text = JSON.stringify(rows, (_, value) =>
      Array.isArray(value) ? value.slice(0, 1) : value,
    );
    same = text === before ? same + 1 : 0;
    if (known.has(cursor) || same === MAX_SAME)
      throw new ServerError(
        "A list of the server has no end: its pages come again. Update the server, or import an export of the memory.",
      );
    known.add(cursor);
    before = text;
    next = read({ cursor });
    // It is awaited after this page.
    next.catch(() => {});
    yield page;
  }
}

export class Server {
  readonly address: Address;
  readonly #client: NousClient;
  /** Whether the server ranks by six signals, as far as it has told. */
  isBySignals = false;
  /** Whether it has answered. */
  #hasAnswered = false;
  /** Whether files are being stored. Then the memory is read anew, and its events are of the files. */
  isStoring = false;
  /** How many changes of this page the server has not answered yet. */
  #asked = 0;
  /** After which event the page is to go on; undefined if the server tells of none. */
  cursor: string | undefined;

  /** @throws {ServerError} If the address cannot be one of a server. */
  constructor(address: Address) {
    const url = address.url.trim().replace(/\/+$/, "");
    if (!URL.canParse(url) || !/^https?:\/\//i.test(url))
      throw new ServerError(
        "The address must begin with http:// or https://, such as http://localhost:3100.",
      );
    const { protocol, hostname, origin } = new URL(url);
    if (protocol === "http:" && origin !== location.origin && !LOCAL.test(hostname))
      throw new ServerError(
        "The page asks servers of other machines only by https://. Put one before the server, or open the page that the server itself serves.",
      );
    this.address = { ...address, url, agent: address.agent.trim() || "default" };
    try {
      this.#client = this.#clientWith(undefined);
    } catch (error) {
      throw new ServerError(sentence(messageOf(error)));
    }
  }

  /** Returns a client; with a version, its changes are made only if the memory still has it. */
  #clientWith(version: number | null | undefined): NousClient {
    const { url: baseUrl, agent, key } = this.address;
    const match = version == null ? undefined : `"${version}"`;
    return new NousClient({
      baseUrl,
      agent,
      timeoutMs: TIMEOUT,
      ...(key === "" ? {} : { key }),
      fetch: (request, init) =>
        fetch(
          request,
          match === undefined
            ? init
            : { ...init, headers: { ...(init?.headers as object), "if-match": match } },
        ),
    });
  }

  /**
   * Reads what the memory holds beside its memories into `rows`. Returns how these come, the newest first.
   *
   * @throws {ServerError} If it cannot be read.
   */
  async read(rows: Rows, progress: (share: number) => void): Promise<Coming> {
    try {
      return await this.#read(rows, progress);
    } catch (error) {
      throw await this.#told(error);
    }
  }

  async #read(rows: Rows, progress: (share: number) => void): Promise<Coming> {
    const client = this.#client;
    this.cursor = await this.#now();
    this.#hasAnswered = true;
    const { node_count: count } = await client.health();
    if (count === 0) await this.#refuseMistyped();
    const { preset, weights, stemming, types, sections, ranking } = await client.readAgent();
    this.isBySignals = ranking === "signals";
    addRow(rows, { kind: "agent", preset, weights, stemming, types, sections });
    const { learning, steps } = await client.readLearned();
    if (learning) rows.learnedSteps = steps;
    for await (const page of this.#graph()) {
      // It lists memories in the order of their rows, by which memories of one time follow each other.
      for (const id of page.node_ids ?? page.nodes.map(({ id }) => id))
        rows.places.set(id, rows.next++);
      for (const { source: source_id, target: target_id, ...edge } of page.edges)
        addRow(rows, { kind: "edge", source_id, target_id, ...edge });
      for (const cluster of page.clusters) addRow(rows, { kind: "cluster", ...stored(cluster) });
      for (const it of page.memberships) addRow(rows, { kind: "membership", ...stored(it) });
      progress(Math.min(1, rows.places.size / Math.max(1, count)));
    }
    for (const conflict of await this.conflicts()) addRow(rows, conflict);
    return { count, pages: this.#memories(rows) };
  }

  /** Returns the pages of the graph, with the ids of memories alone, if the server knows that form. */
  async *#graph(): AsyncGenerator<Graph> {
    try {
      yield* pagesOf((from) => this.#client.graph({ nodes: "ids", ...from }));
    } catch (error) {
      const isUnknown =
        error instanceof NousRequestError && error.issues.some(({ path }) => path === "nodes");
      if (!isUnknown) throw error;
      yield* pagesOf((from) => this.#client.graph(from));
    }
  }

  async *#memories(rows: Rows): Coming["pages"] {
    try {
      for await (const { data } of pagesOf((from) =>
        this.#client.listNodes({ limit: AT_ONCE, ...from }),
      ))
        yield data.map((node) => memoryIn(rows, lineOf(node)));
      rows.places.clear();
    } catch (error) {
      throw await this.#told(error);
    }
  }

  /** Returns the cursor of what is written from now on. A server of an earlier version has none. */
  async #now(): Promise<string | undefined> {
    try {
      return (await this.#client.listEvents({ limit: 1 })).cursor;
    } catch (error) {
      if (error instanceof NousRequestError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Yields what is written after the cursor, several events at a time. */
  async *events(signal: AbortSignal): AsyncGenerator<Event[]> {
    const { url: baseUrl, agent, key } = this.address;
    const address = { baseUrl, agent, ...(key === "" ? {} : { key }) };
    const ending = new AbortController();
    const end = () => ending.abort();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    const waiting: Event[] = [];
    let [isOver, wake] = [false, () => {}];
    const reading = (async () => {
      for await (const event of followMemory({
        ...address,
        signal: ending.signal,
        after: this.cursor,
      })) {
        if (event.kind === "start") continue;
        waiting.push(event);
        wake();
      }
    })().finally(() => {
      isOver = true;
      wake();
    });
    // It is awaited at the end.
    reading.catch(() => {});
    try {
      while (!isOver || waiting.length > 0) {
        if (waiting.length > 0) yield waiting.splice(0);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      await reading;
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  }

  /** Whether the server will not tell of events later either. */
  refuses(error: unknown): boolean {
    return error instanceof NousRequestError && [401, 403, 404].includes(error.status ?? 0);
  }

  /** Resolves when the page has taken over what became of its own changes. */
  async untilIdle(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, 50));
    while (this.#asked > 0 || this.isStoring);
  }

  /** Reads the rows of those of these memories that exist, which does not count as a recall. */
  async rowsOf(ids: readonly string[]): Promise<Json[]> {
    const rows: Json[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const wanted = { ids: ids.slice(at, at + AT_ONCE), recall: false };
      for (const result of (await this.#client.readNodes(wanted)).results)
        if ("node" in result) rows.push(lineOf(result.node));
    }
    return rows;
  }

  /** Reads the edges of these memories. */
  async edgesOf(ids: readonly string[]): Promise<Json[]> {
    const rows: Json[] = [];
    for (const node_id of ids)
      for await (const { data } of pagesOf((from) => this.#client.listEdges({ node_id, ...from })))
        rows.push(...data.map((edge): Json => ({ kind: "edge", ...edge })));
    return rows;
  }

  /** Reads the conflicts. */
  async conflicts(): Promise<Json[]> {
    const rows: Json[] = [];
    for await (const { data } of pagesOf((from) => this.#client.listConflicts(from)))
      for (const conflict of data)
        if (conflict.old_node_id !== null) rows.push({ kind: "conflict", ...conflict });
    return rows;
  }

  /**
   * An agent without memories opens empty, so that a visitor can write the first one.
   *
   * @throws {ServerError} If the name looks mistyped: the server has agents, and this is none of them.
   */
  async #refuseMistyped(): Promise<void> {
    const { agent } = this.address;
    const names = await this.#agents();
    // A whole page of names may not be all of them.
    const isAll = names.length < MAX_AGENTS;
    if (names.length === 0 || !isAll || names.includes(agent)) return;
    throw new ServerError(
      `The agent “${agent}” does not exist. The server has: ${names.slice(0, 10).join(", ")}.`,
    );
  }

  /** Returns the names of the agents; none if the key may not list them. */
  async #agents(): Promise<string[]> {
    try {
      const { data } = await this.#client.listAgents({ limit: MAX_AGENTS });
      return data.map(({ agent }) => agent);
    } catch {
      return [];
    }
  }

  /** Changes fields of a memory if nobody changed it meanwhile. Returns its row. */
  async update(id: string, version: number | null, changes: object): Promise<Json> {
    return this.#asking(async () =>
      lineOf(await this.#clientWith(version).updateNode(id, changes)),
    );
  }

  /** Deletes a memory if nobody changed it meanwhile. */
  async delete(id: string, version: number | null): Promise<void> {
    await this.#asking(() => this.#clientWith(version).deleteNode(id));
  }

  /**
   * Resolves a conflict, or lets it wait again. Returns the rows of its memories, and of their
   * edges.
   */
  async resolve(conflict_id: string, resolution: Resolution | "undecided"): Promise<Json[]> {
    return this.#asking(async () => {
      const done = await this.#client.resolveConflict({ conflict_id, resolution });
      const rows: Json[] = [await this.readRow(done.old_node_id)];
      if (done.new_node_id !== null) rows.push(await this.readRow(done.new_node_id));
      const { data } = await this.#client.listEdges({ node_id: done.old_node_id });
      return [...rows, ...data.map((edge) => ({ kind: "edge", ...edge }))];
    });
  }

  /** Decides a guess that one memory replaces another, or takes that back. Returns the rows of both, and their edges. */
  async decide(
    old_node_id: string,
    new_node_id: string,
    resolution: Decision | "undecided",
  ): Promise<Json[]> {
    return this.#asking(async () => {
      await this.#client.resolveConflict({ old_node_id, new_node_id, resolution });
      const rows = [await this.readRow(old_node_id), await this.readRow(new_node_id)];
      const { data } = await this.#client.listEdges({ node_id: old_node_id });
      return [...rows, ...data.map((edge) => ({ kind: "edge", ...edge }))];
    });
  }

  /** Remembers a text. Returns what became of it, and the rows that are new. */
  async remember(text: string) {
    return this.#asking(async () => {
      const result = await this.#client.remember({ text });
      const rows: Json[] = [];
      for (const { id, run } of result.stored) {
        rows.push(await this.readRow(id));
        const { data } = await this.#client.listEdges({ node_id: id });
        rows.push(...data.map((edge): Json => ({ kind: "edge", ...edge })));
        if (run === undefined) continue;
        rows.push({ kind: "cluster", id: run, name: "conversation" });
        rows.push({ kind: "membership", cluster_id: run, node_id: id, weight: 1 });
      }
      return { result, rows };
    });
  }

  /**
   * Stores rows on the server, those that it does not have. Returns which it refuses, and why. Waits while
   * the server asks for it.
   */
  async importRows(rows: readonly Json[]): Promise<{ row: Json; why: string }[]> {
    return this.#asking(() => this.#import(rows));
  }

  async #import(rows: readonly Json[], tries = MAX_TRIES): Promise<{ row: Json; why: string }[]> {
    try {
      const { wrong } = await this.#client.importRows({ rows: [...rows] });
      return wrong.map(({ index, message: why }) => ({ row: rows[index]!, why }));
    } catch (error) {
      if (!(error instanceof NousRequestError)) throw error;
      const { status, retryAfter, issues } = error;
      if (status === 413 && rows.length === 1) return [{ row: rows[0]!, why: messageOf(error) }];
      if (status === 413) {
        const half = rows.length >> 1;
        return [
          ...(await this.#import(rows.slice(0, half), tries)),
          ...(await this.#import(rows.slice(half), tries)),
        ];
      }
      const isBusy = issues.some(({ path }) => path === "max_requests_per_minute");
      if (tries === 0 || !(isBusy || status === 503)) throw error;
      await new Promise((resolve) => setTimeout(resolve, (retryAfter ?? 1) * 1000));
      return this.#import(rows, tries - 1);
    }
  }

  /** Reads the row of a memory, which does not count as a recall. */
  async readRow(id: string): Promise<Json> {
    return this.#asking(async () => lineOf(await this.#client.readNode(id, { recall: false })));
  }

  async #asking<T>(work: () => Promise<T>): Promise<T> {
    this.#asked += 1;
    try {
      return await work();
    } catch (error) {
      throw await this.#told(error);
    } finally {
      this.#asked -= 1;
    }
  }

  /** Returns readiness, counts and metrics. */
  async state(): Promise<ServerState> {
    const { url, agent } = this.address;
    const state: ServerState = { url, agent, isReady: false };
    try {
      state.isReady = (await this.#get("/readyz")).ok;
      const { node_count, edge_count, lifecycle } = await this.#client.health();
      Object.assign(state, { memories: node_count, edges: edge_count, lifecycle });
    } catch (error) {
      return { ...state, why: (await this.#told(error)).message };
    }
    try {
      const answer = await this.#get("/metrics");
      if (answer.ok) return { ...state, metrics: metricsIn(await answer.text()) };
      const why =
        answer.status === 403
          ? "The key may not read metrics: it lacks the scope admin for all agents."
          : `The server answered ${answer.status}.`;
      return { ...state, metricsWhy: why };
    } catch (error) {
      return { ...state, metricsWhy: (await this.#told(error)).message };
    }
  }

  #get(path: string): Promise<Response> {
    const { url, key } = this.address;
    const headers: HeadersInit = key === "" ? {} : { authorization: `Bearer ${key}` };
    return fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(TIMEOUT) });
  }

  /** Returns an error that names the remedy. */
  async #told(error: unknown): Promise<ServerError> {
    if (error instanceof ServerError) return error;
    const { url, agent, key } = this.address;
    const status = error instanceof NousRequestError ? error.status : null;
    if (status === 401)
      return new ServerError(
        key === ""
          ? "The server needs a key. Make one with nous-server keys create, and enter it here."
          : "The server does not know this key. It may be mistyped or revoked: nous-server keys list shows the valid ones.",
      );
    if (status === 403)
      return new ServerError(
        `The server refused: ${messageOf(error)}. Use a key with the scope memory for the agent “${agent}”: nous-server keys create makes one.`,
      );
    if (status === 412)
      return new ServerError("Somebody changed this memory meanwhile. Here it is as it is now.");
    if (status === 404) return new ServerError("The server has this no longer: it was deleted.");
    if (status !== null)
      return new ServerError(`The server answered ${status}. ${sentence(messageOf(error))}`);
    if (/no answer came within/.test(messageOf(error)))
      return new ServerError(`The server took longer than ${TIMEOUT / 1000} s. Try again later.`);
    if (await answersSomebody(url)) {
      return this.#hasAnswered || new URL(url).origin === location.origin
        ? new ServerError("The connection broke off. Try again.")
        : new ServerError(
            `A server answers at ${url}, but does not let this page in. Start it with --cors-origins ${location.origin}`,
          );
    }
    return new ServerError(
      this.#hasAnswered
        ? "The server went away. Start it again, and connect again."
        : `Nothing answers at ${url}. Is nous-server running there?`,
    );
  }
}

/** Returns whether a server answers at an address, even if this page may not read the answer. */
async function answersSomebody(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/readyz`, { mode: "no-cors", signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false;
  }
}

const lineOf = ({ memory_section: _, ...node }: MemoryNode): Json => ({ kind: "node", ...node });

/** Returns a row of an answer as an export has it: flags are numbers, and lists are JSON. */
function stored(row: object): Json {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      if (name === "node_count") return [];
      if (typeof value === "boolean") return [[name, Number(value)]];
      return [[name, Array.isArray(value) ? JSON.stringify(value) : value]];
    }),
  );
}

/** Metrics that the page shows, in words. */
const SHOWN: Readonly<Record<string, string>> = {
  nous_agents_open: "Agents open",
  nous_nodes_resident: "Memories loaded",
  nous_queue_length: "Requests waiting",
  nous_embeddings_waiting: "Memories without their vector yet",
};
const NUMBER = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });

/** Returns figures of metrics in the text format of Prometheus. */
export function metricsIn(text: string): Metric[] {
  const sums = new Map<string, number>();
  for (const line of text.split("\n")) {
    const found = /^(\w+)(?:\{([^}]*)\})? (\S+)$/.exec(line);
    if (found === null) continue;
    const [, name, labels = "", value] = found;
    const add = (key: string) => sums.set(key, (sums.get(key) ?? 0) + Number(value));
    add(name!);
    if (name === "nous_requests_total" && /status="[45]/.test(labels)) add("refused");
  }
  const sum = (name: string) => sums.get(name) ?? 0;
  const requests = sum("nous_requests_total");
  const mean =
    (sum("nous_request_seconds_sum") / Math.max(1, sum("nous_request_seconds_count"))) * 1000;
  return [
    { name: "Requests answered", value: NUMBER.format(requests) },
    { name: "Refused or failed", value: NUMBER.format(sum("refused")) },
    { name: "Mean time of an answer", value: `${NUMBER.format(mean)} ms` },
    ...Object.entries(SHOWN).map(([name, label]) => ({
      name: label,
      value: NUMBER.format(sum(name)),
    })),
    {
      name: "Main memory of the indexes",
      value: `${NUMBER.format(sum("nous_resident_bytes") / 1e6)} MB`,
    },
  ];
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Returns a message as a sentence. */
const sentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
