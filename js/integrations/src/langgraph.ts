// A store of LangGraph.js whose items are memories.

import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import type { MemoryNode, NousClient } from "nous-server/client";
import { nodesOf } from "./pages.ts";
import {
  checkLabels,
  doesMatch,
  filterOf,
  found,
  idOf,
  itemOf,
  knownPrefix,
  matches,
  replacementOf,
} from "./store-items.ts";
import { begin, MAX_QUESTION, unlessGone } from "./texts.ts";

/** Ids of one request. A search with a question sees this many memories. */
const MAX_READ = 100;
const MAX_FOUND = 100;
const TOO_LARGE = 413;
/** What a search without a limit returns. */
const LIMIT = 10;

const isGet = (op: Operation): op is GetOperation =>
  "namespace" in op && "key" in op && !("value" in op);
const isPut = (op: Operation): op is PutOperation => "value" in op;
const isSearch = (op: Operation): op is SearchOperation => "namespacePrefix" in op;

/**
 * Keeps the items of LangGraph in the memory of an agent.
 *
 * An item is one memory: namespace and key make its id. A search with `query` ranks by the probability
 * that an item answers, and `score` is that probability; it sees the best 100. Without `query` the newest
 * items come first. `index: false` hides an item from questions, and a list names the fields of its value
 * that they read. `$gt` and its like compare numbers.
 *
 * Operations of one `batch` are no transaction. Reads see the state before its writes.
 *
 * @example
 * ```ts
 * const graph = builder.compile({ store: new NousStore(memory) });
 * ```
 */
export class NousStore extends BaseStore {
  readonly #memory: NousClient;

  /** Creates a store. It sends nothing. */
  constructor(memory: NousClient) {
    super();
    this.#memory = memory;
  }

  /** Carries out operations. Reads come first, and of several writes to a key the last counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    for (const op of operations) check(op);
    const results: unknown[] = operations.map(() => undefined);
    const gets = operations.flatMap((op, at) => (isGet(op) ? [{ op, at }] : []));
    const items = await this.#read(gets.map(({ op }) => op));
    for (const [place, { at }] of gets.entries()) results[at] = items[place] ?? null;
    for (const [at, op] of operations.entries()) {
      if (isSearch(op)) results[at] = await this.#search(op);
      else if (!isGet(op) && !isPut(op)) results[at] = await this.#namespaces(op);
    }
    const puts = new Map<string, PutOperation>();
    for (const op of operations) if (isPut(op)) puts.set(await idOf(op.namespace, op.key), op);
    // All are checked before the first is written.
    const writes = Array.from(puts, ([id, op]) => ({
      id,
      body: op.value === null ? undefined : replacementOf({ ...op, value: op.value }, id),
    }));
    for (const { id, body } of writes) {
      if (body === undefined) await unlessGone(this.#memory.deleteNode(id));
      else await this.#memory.putNode(id, body);
    }
    return results as OperationResults<Op>;
  }

  /** Returns the items of keys, in their order. */
  async #read(gets: readonly GetOperation[]): Promise<(Item | undefined)[]> {
    const ids = await Promise.all(gets.map(({ namespace, key }) => idOf(namespace, key)));
    const wanted = [...new Set(ids)];
    const known = new Map<string, Item>();
    for (let at = 0; at < wanted.length; at += MAX_READ) {
      const part = wanted.slice(at, at + MAX_READ);
      const { results } = await this.#memory.readNodes({ ids: part, recall: false });
      for (const [place, result] of results.entries()) {
        const node =
          "node" in result
            ? result.node
            : // The answer has no room for all.
              result.status === TOO_LARGE
              ? await this.#node(part[place]!)
              : undefined;
        const item = node && itemOf(node);
        if (item !== undefined) known.set(part[place]!, item);
      }
    }
    return ids.map((id) => known.get(id));
  }

  #node(id: string): Promise<MemoryNode | undefined> {
    return unlessGone(this.#memory.readNode(id, { recall: false }));
  }

  /** Finds items: by a question the most probable first, without one the newest first. */
  async #search(op: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter, query = "", limit = LIMIT, offset = 0 } = op;
    if (limit < 0 || offset < 0)
      throw new RangeError("limit and offset of a search must be at least 0");
    const end = offset + limit;
    const all: SearchItem[] = [];
    if (end === 0) return all;
    if (query !== "") {
      const { data, omitted_ids } = await this.#memory.search({
        query: begin(query, MAX_QUESTION),
        filter: filterOf(namespacePrefix, filter, true),
        limit: MAX_FOUND,
      });
      for (const hit of data) {
        const item = itemOf(hit);
        if (item !== undefined && matches(item, op)) all.push(found(item, hit.score));
      }
      // A large answer leaves memories out, and names them.
      for (const id of omitted_ids ?? []) {
        const node = await this.#node(id);
        const item = node && itemOf(node);
        if (item !== undefined && matches(item, op)) all.push(found(item));
      }
      return all.slice(offset, end);
    }
    for await (const node of nodesOf(this.#memory, filterOf(namespacePrefix, filter), end)) {
      const item = itemOf(node);
      if (item !== undefined && matches(item, op)) all.push(found(item));
      if (all.length === end) break;
    }
    return all.slice(offset, end);
  }

  /** Lists namespaces. It reads every item below the prefix that the conditions name. */
  async #namespaces({
    matchConditions = [],
    maxDepth,
    limit,
    offset,
  }: ListNamespacesOperation): Promise<string[][]> {
    const named = new Map<string, string[]>();
    for await (const node of nodesOf(this.#memory, filterOf(knownPrefix(matchConditions)))) {
      const { namespace } = itemOf(node) ?? {};
      if (namespace === undefined) continue;
      if (!matchConditions.every((condition) => doesMatch(condition, namespace))) continue;
      const shown = namespace.slice(0, maxDepth);
      named.set(shown.join("."), shown);
    }
    const sorted = [...named.keys()].sort().map((name) => named.get(name)!);
    return sorted.slice(offset ?? 0, limit === undefined ? undefined : (offset ?? 0) + limit);
  }
}

function check(op: Operation): void {
  if (isGet(op) || isPut(op)) checkLabels(op.namespace);
  else if (isSearch(op)) checkLabels(op.namespacePrefix);
  else for (const { path } of op.matchConditions ?? []) checkLabels(path);
}
