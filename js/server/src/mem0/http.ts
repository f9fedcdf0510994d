// The part of mem0's interface that its clients use, at /mem0: a client of mem0 works with this server once
// its `host` is `http://…:3100/mem0`, or `…/mem0/AGENT` for another agent than `default`. Each request
// becomes requests to /v1 with the headers of the caller, so that keys and agents are checked there.

import type { Context, Env, Hono } from "hono";
import { parseInstant, titleOf, toIso } from "nous-memory";
import type { Mem0Memory } from "nous-memory/moving";
import { BASE } from "../api/base-path.ts";
import type { Node } from "../api/nodes.ts";
import type { RememberAnswer } from "../api/remember.ts";
import { Refusal, wrong } from "../refusal.ts";
import { asHeader, isAgentName } from "../settings/agent-names.ts";
import { AskerGone } from "../workers/shares.ts";
import { type Filter, fieldsIn, filterOf, filterOfQuery } from "./filters.ts";
import { authorizationOf } from "./names.ts";

/** Headers of the caller that its requests carry on. */
const CARRIED = ["host", "origin", "sec-fetch-site", "x-nous-agent"];
/** Memories of a page, and of a search, unless the request says otherwise. */
const [DEFAULT_PAGE, DEFAULT_FOUND, MAX_PAGE] = [100, 10, 100];
/** The most memories of a batch, as in mem0, and of a request to read some. */
const [MAX_BATCH, MAX_READ] = [1_000, 200];
/** What an update may change. */
const CHANGEABLE = ["text", "metadata", "expiration_date"];
/** Characters of a text that is a title alone. */
const SHORT = 100;

/** What is needed to answer at /mem0. */
export interface Mem0Options<Its extends Env> {
  /** The application that has the routes of /v1. */
  app: Hono<Its>;
  /** Reads the body, and refuses one that is not sent as JSON. */
  body(): Promise<string>;
  /** Counts requests beside the one that came. */
  count(requests: number): void;
  /** Is aborted when the client goes. */
  gone: AbortSignal | undefined;
}

type Json = Readonly<Record<string, unknown>>;
type Ask = <Answer>(method: string, path: string, given?: object) => Promise<Answer>;

/** A request of mem0: what stands in its path, its query and its body. */
interface Asked {
  ask: Ask;
  /** Counts requests beside the one that came. */
  count(requests: number): void;
  method: string;
  named: string;
  query: URLSearchParams;
  body: Json;
}

/** An answer of /v1 that refuses: it is passed on. */
class Passed extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super();
  }
}

/** The routes: method, path below `/mem0`, and what answers. The first that matches counts. */
const ROUTES: readonly (readonly [RegExp, (asked: Asked) => Promise<unknown>])[] = [
  // The Python client needs the names of an organisation and a project.
  [/^GET \/v1\/ping$/, async () => ({ status: "ok", org_id: "nous", project_id: "memory" })],
  [/^POST \/(?:v3\/memories\/add|v1\/memories)$/, add],
  [/^POST \/v\d\/memories\/search$/, search],
  [/^POST \/v[23]\/memories$/, list],
  [/^GET \/v1\/memories$/, list],
  [/^DELETE \/v1\/memories$/, deleteAll],
  [/^(?:PUT|DELETE) \/v1\/batch$/, batch],
  [/^GET \/v1\/memories\/([^/]+)\/history$/, history],
  [/^GET \/v1\/memories\/([^/]+)$/, async ({ ask, named }) => memoryOf(await read(ask, named))],
  [/^PUT \/v1\/memories\/([^/]+)$/, update],
  [/^DELETE \/v1\/memories\/([^/]+)$/, remove],
  [/^DELETE \/v2\/entities\/((?:user|run|agent|app)\/[^/]+)$/, deleteEntity],
];

/** Answers a request at /mem0. */
export async function answerMem0<Its extends Env>(
  context: Context<Its>,
  { app, body, count, gone }: Mem0Options<Its>,
): Promise<Response> {
  const url = new URL(context.req.url);
  const [, agent, path = ""] =
    /^\/mem0(?:\/(?!v\d\/)([^/]+))?(\/v\d\/.*?)\/?$/.exec(url.pathname) ?? [];
  const asked = `${context.req.method} ${path}`;
  for (const [pattern, answer] of ROUTES) {
    const [found, named = ""] = pattern.exec(asked) ?? [];
    if (found === undefined) continue;
    const text = context.req.method === "GET" ? "" : await given(context, body);
    const headers = headersOf(context, agent);
    const ask: Ask = async (method, to, sent) => {
      const own = new Headers(headers);
      if (sent !== undefined) own.set("content-type", "application/json");
      const init = { method, headers: own, ...(sent && { body: JSON.stringify(sent) }) };
      const answered = await app.request(`${BASE}${to}`, init, {
        departure: gone,
        isCounted: true,
      });
      if (gone?.aborted) throw new AskerGone();
      const json: unknown = await answered.json();
      if (answered.status >= 400) throw new Passed(answered.status, json);
      return json as never;
    };
    try {
      const { method } = context.req;
      const request = { ask, count, method, named, query: url.searchParams, body: jsonIn(text) };
      return context.json((await answer(request)) as object);
    } catch (error) {
      if (error instanceof Passed) return context.json(error.body as object, error.status as 400);
      throw error;
    }
  }
  throw new Refusal(404, `${asked} is not among the requests of mem0 that are answered here`);
}

/** Returns a part of a path as it was before it was encoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, "the path is not encoded as a URL");
  }
}

/** Returns the body of a request; an empty one for those that have none. */
async function given(context: Context, body: () => Promise<string>): Promise<string> {
  const length = context.req.header("content-length");
  const isEmpty =
    length === "0" || (length === undefined && !context.req.header("transfer-encoding"));
  return isEmpty ? "" : body();
}

function headersOf(context: Context, agent: string | undefined): Headers {
  const headers = new Headers();
  for (const name of CARRIED) {
    const value = context.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const key = authorizationOf(context.req.path, context.req.header("authorization"));
  if (key !== undefined) headers.set("authorization", key);
  if (agent === undefined) return headers;
  const name = decoded(agent);
  if (!isAgentName(name)) throw wrong("agent", "is not the name of an agent");
  headers.set("x-nous-agent", asHeader(name));
  return headers;
}

function jsonIn(text: string): Json {
  if (text === "") return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw wrong("", "is not JSON");
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw wrong("", "must be an object");
  return json as Json;
}

/** A memory in mem0's form, with the agent and the app that it was added for. */
function memoryOf(node: Node, more: object = {}): Mem0Memory & Json {
  const { agent_id = null, app_id = null, ...metadata } = (node.metadata ?? {}) as Json;
  return {
    id: node.id,
    memory: node.content_body ?? node.content_title,
    user_id: node.user ?? null,
    ...{ agent_id, app_id },
    ...(node.session == null ? {} : { run_id: node.session }),
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    categories: node.tags == null || node.tags.length === 0 ? null : node.tags,
    created_at: node.created_at,
    updated_at: node.last_modified ?? node.created_at,
    ...(node.expires_at == null ? {} : { expiration_date: node.expires_at.slice(0, 10) }),
    ...more,
  };
}

const read = (ask: Ask, id: string): Promise<Node> =>
  ask("GET", `/nodes/${encodeURIComponent(decoded(id))}?recall=false`);

async function add({ ask, body }: Asked): Promise<object> {
  const { messages, user_id, run_id, agent_id, app_id, metadata, categories } = body;
  const { timestamp, expiration_date } = body;
  const of = { agent_id, app_id };
  const named = Object.entries(of).filter(([, value]) => value != null);
  const all = { ...(metadata as Json | null | undefined), ...Object.fromEntries(named) };
  const list = Array.isArray(messages) ? messages : messages === undefined ? [] : [messages];
  const isText = list.every((message) => typeof message === "string");
  if (list.length === 0) throw wrong("messages", "must be a text or messages");
  const shared = {
    ...(user_id == null ? {} : { user: user_id }),
    ...(run_id == null ? {} : { session: run_id }),
    ...(Object.keys(all).length === 0 ? {} : { metadata: all }),
    ...(Array.isArray(categories) ? { tags: categories } : {}),
    ...(timestamp == null ? {} : { created_at: timeOf("timestamp", timestamp) }),
    ...(expiration_date == null ? {} : { expires_at: expiration_date }),
    source: "mem0",
  };
  const what = isText ? { memories: list } : { messages: list };
  const { stored } = await ask<RememberAnswer>("POST", "/remember", { ...what, ...shared });
  const texts = await nodesOf(
    ask,
    stored.map(({ id }) => id),
  );
  const results = stored.map(({ id, action, title }) => {
    const node = texts.get(id);
    const memory = node === undefined ? title : memoryOf(node).memory;
    return { id, memory, event: action === "created" ? "ADD" : "NOOP" };
  });
  return { results };
}

/** Returns seconds since 1970, or a text of ISO 8601, as an instant. */
function timeOf(field: string, time: unknown): string {
  if (typeof time === "number" && time >= 0 && time < 1e11) return toIso(time * 1000);
  if (typeof time === "string" && parseInstant(time) !== undefined) return time;
  throw wrong(field, "must be seconds since 1970, or an instant in ISO 8601");
}

/** Returns the memories with these ids, without those that are not there. */
async function nodesOf(ask: Ask, ids: readonly string[]): Promise<Map<string, Node>> {
  const [all, nodes] = [[...new Set(ids)], new Map<string, Node>()];
  for (let from = 0; from < all.length; from += MAX_READ) {
    const { results } = await ask<{ results: { node?: Node }[] }>("POST", "/nodes/batch-get", {
      ids: all.slice(from, from + MAX_READ),
      recall: false,
    });
    for (const { node } of results) if (node != null) nodes.set(node.id, node);
  }
  return nodes;
}

async function search({ ask, body }: Asked): Promise<object> {
  const { query, top_k, limit, threshold } = body;
  const found = numberOf("top_k", top_k ?? limit ?? DEFAULT_FOUND);
  const filter = filterOf(body, ["query", "top_k", "limit", "threshold"]);
  const { data } = await ask<{ data: (Node & { score: number })[] }>("POST", "/search", {
    query,
    limit: found,
    ...(threshold == null ? {} : { min_score: threshold }),
    ...(filter === undefined ? {} : { filter }),
  });
  return { results: data.map((node) => memoryOf(node, { score: node.score })) };
}

function numberOf(field: string, value: unknown): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw wrong(field, "must be a whole number above 0");
}

async function list({ ask, count, body, query }: Asked): Promise<object> {
  // The first version had its conditions in the query, and the later ones have their page there.
  const fields = fieldsIn(query);
  for (const name of Object.keys(fields))
    if (name in body) throw wrong(name, "must be given once: in the query or in the body");
  const all = { ...body, ...fields };
  const page = numberOf("page", all.page ?? 1);
  const size = numberOf("page_size", all.page_size ?? DEFAULT_PAGE);
  if (size > MAX_PAGE) throw wrong("page_size", `must be at most ${MAX_PAGE}`);
  const filter = filterOf(all, ["page", "page_size"]);
  let cursor: string | null = null;
  let nodes: Node[] = [];
  for (let at = 1; at <= page; at += 1) {
    if (at > 1) count(1);
    const asked = new URLSearchParams({ limit: String(size) });
    if (filter !== undefined) asked.set("filter", JSON.stringify(filter));
    if (cursor !== null) asked.set("cursor", cursor);
    const got: { data: Node[]; next_cursor?: string | null } = await ask("GET", `/nodes?${asked}`);
    nodes = got.data;
    cursor = got.next_cursor ?? null;
    if (cursor !== null) continue;
    if (at < page) nodes = [];
    break;
  }
  const before = (page - 1) * size;
  const total =
    cursor === null && (page === 1 || nodes.length > 0)
      ? before + nodes.length
      : await countOf(ask, filter);
  return {
    count: total,
    next: cursor === null ? null : `?page=${page + 1}&page_size=${size}`,
    previous: page === 1 ? null : `?page=${page - 1}&page_size=${size}`,
    results: nodes.map((node) => memoryOf(node)),
  };
}

/** Counts the memories of a filter. Without one it counts those that are not none. */
async function countOf(ask: Ask, filter: Filter | undefined): Promise<number> {
  const { matched } = await ask<{ matched: number }>("POST", "/nodes/delete", {
    filter: filter ?? { created: { gte: "0000-01-01" } },
    dry_run: true,
  });
  return matched;
}

/** What an update of mem0 changes. */
interface Changes {
  text?: string;
  metadata?: Json | null;
  expiration_date?: string | null;
}

/** Returns what a memory is changed to. @throws {Refusal} If it is nothing, or has another form. */
function changesOf({ text, metadata, expiration_date }: Json, at = ""): Changes {
  if (text === undefined && metadata === undefined && expiration_date === undefined)
    throw wrong(`${at}text`, "must be given, or metadata or expiration_date: nothing was done");
  if (text !== undefined && (typeof text !== "string" || text.trim() === ""))
    throw wrong(`${at}text`, "must be a text with words");
  if (metadata != null && (typeof metadata !== "object" || Array.isArray(metadata)))
    throw wrong(`${at}metadata`, "must be an object");
  if (
    expiration_date != null &&
    (typeof expiration_date !== "string" || parseInstant(expiration_date) === undefined)
  )
    throw wrong(`${at}expiration_date`, "must be a day in ISO 8601");
  return { text, metadata, expiration_date } as Changes;
}

async function update({ ask, named, body }: Asked): Promise<object> {
  const changes = changesOf(body);
  return memoryOf(await changed(ask, await read(ask, named), changes));
}

/** Changes a memory. The agent and the app that it was added for stay. */
async function changed(
  ask: Ask,
  node: Node,
  { text, metadata, expiration_date }: Changes,
): Promise<Node> {
  const { agent_id, app_id } = (node.metadata ?? {}) as Json;
  const kept = Object.entries({ agent_id, app_id }).filter(([, value]) => value !== undefined);
  return ask<Node>("PATCH", `/nodes/${encodeURIComponent(node.id)}`, {
    ...(text === undefined ? {} : textsOf(text)),
    ...(metadata === undefined ? {} : { metadata: { ...Object.fromEntries(kept), ...metadata } }),
    ...(expiration_date === undefined ? {} : { expires_at: expiration_date }),
  });
}

/** Returns a text as title and body: a short one is a title alone. */
const textsOf = (text: string) =>
  text.length <= SHORT && !text.includes("\n")
    ? { content_title: text, content_body: null }
    : { content_title: titleOf(text), content_body: text };

async function remove({ ask, named }: Asked): Promise<object> {
  await ask("DELETE", `/nodes/${encodeURIComponent(decoded(named))}`);
  return { message: "Memory deleted successfully!" };
}

async function deleteAll({ ask, query }: Asked): Promise<object> {
  await ask("POST", "/nodes/delete", { filter: filterOfQuery(query) });
  return { message: "Memories deleted successfully!" };
}

async function deleteEntity({ ask, named }: Asked): Promise<object> {
  const [kind, name = ""] = named.split("/");
  const query = new URLSearchParams({ [`${kind}_id`]: decoded(name) });
  await ask("POST", "/nodes/delete", { filter: filterOfQuery(query) });
  return { message: "Entity deleted successfully!" };
}

/** A memory keeps no earlier texts: its history is how it is now. */
async function history({ ask, named }: Asked): Promise<object> {
  const { id, memory, user_id, created_at, updated_at, metadata } = memoryOf(
    await read(ask, named),
  );
  const made = { old_memory: null, new_memory: memory, event: "ADD", created_at, updated_at };
  return [{ id, memory_id: id, input: null, user_id, metadata, ...made }];
}

/** Changes or deletes many memories, as the method says. All are checked before the first. */
async function batch({ ask, count, body, method }: Asked): Promise<object> {
  const { memories } = body;
  const all = Array.isArray(memories) ? (memories as (Json | null)[]) : [];
  if (all.length === 0) throw wrong("memories", "must be a list of memories");
  if (all.length > MAX_BATCH) throw wrong("memories", `must be at most ${MAX_BATCH}`);
  const isUpdate = method === "PUT";
  const asked = all.map((one, place) => {
    const { memory_id, ...given } = one ?? {};
    const at = `memories.${place}.`;
    if (typeof memory_id !== "string") throw wrong(`${at}memory_id`, "must be an id");
    for (const name of isUpdate ? Object.keys(given) : [])
      if (!CHANGEABLE.includes(name))
        throw wrong(`${at}${name}`, `is unknown: an update has ${CHANGEABLE.join(", ")}`);
    return { id: memory_id, changes: isUpdate ? changesOf(given, at) : {} };
  });
  if (all.length > 1) count(all.length - 1);
  const nodes = await nodesOf(
    ask,
    asked.map(({ id }) => id),
  );
  for (const [place, { id }] of asked.entries())
    if (!nodes.has(id))
      throw new Refusal(404, "not found", [
        { path: `memories.${place}.memory_id`, message: "is of no memory: nothing was done" },
      ]);
  if (isUpdate) for (const { id, changes } of asked) await changed(ask, nodes.get(id)!, changes);
  else for (const id of nodes.keys()) await ask("DELETE", `/nodes/${encodeURIComponent(id)}`);
  return { message: `Successfully ${isUpdate ? "updated" : "deleted"} ${all.length} memories` };
}
