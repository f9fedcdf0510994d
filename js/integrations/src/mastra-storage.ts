// The storage of Mastra for what a memory holds: threads, messages and resources.

import { MessageList } from "@mastra/core/agent/message-list";
import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import {
  calculatePagination,
  filterByDateRange,
  jsonValueEquals,
  MemoryStorage,
  normalizePerPage,
  type StorageCloneThreadInput,
  type StorageCopyThreadOutput,
  type StorageListMessagesByResourceIdInput,
  type StorageListMessagesInput,
  type StorageListMessagesOutput,
  type StorageListThreadsInput,
  type StorageListThreadsOutput,
  type StorageResourceType,
  storageMessageMatchesMetadataFilter,
  validateStorageMetadataFilter,
} from "@mastra/core/storage";
import type { Filter, MemoryNode, NodeReplacement, NousClient } from "nous-server/client";
import {
  filterOf,
  idOf,
  type Kind,
  messageOf,
  nodeOfMessage,
  nodeOfResource,
  nodeOfThread,
  type Place,
  placeOf,
  resourceOf,
  SOURCE,
  threadOf,
} from "./mastra-records.ts";
import { nodesOf } from "./pages.ts";
import { unlessGone } from "./texts.ts";

/** Ids of one request. */
const MAX_IDS = 100;
const TOO_LARGE = 413;
const EXISTS = 409;
/** What a page has without `perPage`: messages, threads. */
const MESSAGES = 40;
const THREADS = 100;

type Dated = { createdAt: Date; updatedAt?: Date };
type Includes = NonNullable<StorageListMessagesInput["include"]>;
type Updates = Parameters<MemoryStorage["updateMessages"]>[0]["messages"];

/**
 * Keeps the threads, messages and resources of Mastra in the memory of an agent.
 *
 * They come back as they were. What users and models said is found by searches and prompts, in the session
 * of its thread and as the user of its resource; calls of tools, titles and working memory are not. It has
 * no observational memory.
 *
 * Listing messages reads the whole thread, 200 a request. Changes of one storage to a thread come one
 * after the other; of two processes that change one at the same moment, the last counts.
 *
 * @example
 * ```ts
 * const storage = new MastraCompositeStore({ id: "nous", domains: { memory: new NousMemoryStorage(memory) } });
 * ```
 */
export class NousMemoryStorage extends MemoryStorage {
  override readonly supportsPartialThreadUpdate = true;
  readonly #memory: NousClient;
  readonly #turns = new Map<string, Promise<unknown>>();
  #last = 0;

  /** Creates a storage. It sends nothing. */
  constructor(memory: NousClient) {
    super();
    this.#memory = memory;
  }

  /** Deletes all that storages of Mastra stored in this agent's memory. */
  async dangerouslyClearAll(): Promise<void> {
    await this.#memory.deleteNodes({ filter: { source: SOURCE } });
  }

  // ---- threads ------------------------------------------------------------------------------------

  async getThreadById({
    threadId,
    resourceId,
  }: {
    threadId: string;
    resourceId?: string;
  }): Promise<StorageThreadType | null> {
    const node = await this.#node(await idOf("thread", threadId));
    const thread = node && threadOf(node);
    if (thread === undefined || (resourceId ?? thread.resourceId) !== thread.resourceId)
      return null;
    return thread;
  }

  async saveThread({ thread }: { thread: StorageThreadType }): Promise<StorageThreadType> {
    await this.#change("thread", thread.id, (_, id, order) => nodeOfThread(id, thread, order));
    return thread;
  }

  async updateThread({
    id,
    title,
    metadata,
  }: {
    id: string;
    title?: string;
    metadata?: Record<string, unknown>;
  }): Promise<StorageThreadType> {
    const changed = await this.#change("thread", id, (node, nodeId, order) => {
      if (node === undefined) throw new Error(`Thread with id ${id} not found`);
      const thread = threadOf(node);
      const fields = { ...thread, metadata: { ...thread.metadata, ...metadata } };
      if (title !== undefined) fields.title = title;
      return nodeOfThread(nodeId, { ...fields, updatedAt: later(thread) }, order);
    });
    return threadOf(changed);
  }

  async deleteThread({ threadId }: { threadId: string }): Promise<void> {
    await unlessGone(this.#memory.deleteNode(await idOf("thread", threadId)));
    await this.#memory.deleteNodes({ filter: filterOf("message", { thread: threadId }) });
  }

  async listThreads(args: StorageListThreadsInput): Promise<StorageListThreadsOutput> {
    const { page = 0, perPage: given, orderBy, filter } = args;
    const { field, direction } = this.parseOrderBy(orderBy);
    this.validatePaginationInput(page, given ?? THREADS);
    this.validateMetadataKeys(filter?.metadata);
    const { resourceId: resource, metadata = {} } = filter ?? {};
    const nodes = await this.#nodes(filterOf("thread", resource ? { resource } : {}));
    const threads = nodes
      .map(threadOf)
      .filter((thread) =>
        Object.entries(metadata).every(([key, value]) =>
          jsonValueEquals(thread.metadata?.[key], value),
        ),
      )
      .sort(by(field, direction));
    const size = normalizePerPage(given, THREADS);
    const { offset, perPage } = calculatePagination(page, given, size);
    return {
      threads: threads.slice(offset, offset + size),
      ...{ total: threads.length, page, perPage },
      hasMore: offset + size < threads.length,
    };
  }

  /** Copies a thread with its messages, which get ids of their own. */
  override async copyThread({
    sourceThreadId,
    newThreadId: threadId = globalThis.crypto.randomUUID(),
    resourceId,
    title,
    metadata,
    options: { messageLimit = 0, messageFilter } = {},
  }: StorageCloneThreadInput): Promise<StorageCopyThreadOutput> {
    const source = await this.getThreadById({ threadId: sourceThreadId });
    if (source === null) throw new Error(`Source thread with id ${sourceThreadId} not found`);
    if ((await this.getThreadById({ threadId })) !== null)
      throw new Error(`Thread with id ${threadId} already exists`);
    const { messageIds = [], startDate, endDate } = messageFilter ?? {};
    const all = (await this.#messages({ thread: sourceThreadId }))
      .sort(by("createdAt", "ASC"))
      .filter(({ id }) => messageIds.length === 0 || messageIds.includes(id));
    const within = { ...(startDate && { start: startDate }), ...(endDate && { end: endDate }) };
    const copied = filterByDateRange(all, ({ createdAt }) => createdAt, within).slice(
      -messageLimit,
    );
    const now = new Date();
    const last = copied.at(-1)?.id;
    const clone = { sourceThreadId, clonedAt: now, ...(last && { lastMessageId: last }) };
    const named = title || (source.title && `Clone of ${source.title}`);
    const thread: StorageThreadType = {
      ...{ id: threadId, resourceId: resourceId || source.resourceId },
      ...(named && { title: named }),
      metadata: { ...metadata, clone },
      ...{ createdAt: now, updatedAt: now },
    };
    await this.saveThread({ thread });
    const messageIdMap: Record<string, string> = {};
    const messages = copied.map((message) => {
      messageIdMap[message.id] = globalThis.crypto.randomUUID();
      const owner = resourceId || message.resourceId;
      return {
        ...message,
        id: messageIdMap[message.id]!,
        threadId,
        ...(owner && { resourceId: owner }),
      };
    });
    await this.#put(messages);
    return { thread, messageIdMap };
  }

  // ---- messages -----------------------------------------------------------------------------------

  async listMessages(args: StorageListMessagesInput): Promise<StorageListMessagesOutput> {
    const threads = [args.threadId].flat();
    if (threads.length === 0 || threads.some((id) => id.trim() === ""))
      throw new Error("threadId must be a non-empty string or array of non-empty strings");
    const owner = args.resourceId ? { resource: args.resourceId } : {};
    const places = Array.from(new Set(threads), (thread) => ({ thread, ...owner }));
    const found = await this.#messages(...places);
    const answer = await this.#page(args, found, owner.resource);
    // A page of none counts none. A page of a resource counts what is there.
    if (args.perPage === 0) return { ...answer, total: 0, hasMore: false };
    if (!args.include?.length || args.filter?.metadata) return answer;
    const shown = answer.messages.filter(({ threadId }) => threads.includes(threadId ?? ""));
    return { ...answer, hasMore: shown.length < answer.total };
  }

  override async listMessagesByResourceId(
    args: StorageListMessagesByResourceIdInput,
  ): Promise<StorageListMessagesOutput> {
    const found = await this.#messages({ resource: args.resourceId });
    return this.#page(args, found, args.resourceId);
  }

  async listMessagesById({
    messageIds,
  }: {
    messageIds: string[];
  }): Promise<{ messages: MastraDBMessage[] }> {
    const nodes = await this.#read("message", messageIds);
    const found = messageIds.flatMap((id) => nodes.get(id) ?? []);
    return { messages: inMastra(found.map(messageOf)) };
  }

  async saveMessages({
    messages,
  }: {
    messages: MastraDBMessage[];
  }): Promise<{ messages: MastraDBMessage[] }> {
    await this.#put(messages);
    await this.#touch(messages.map(({ threadId }) => threadId));
    return { messages: inMastra(messages) };
  }

  async updateMessages({ messages }: { messages: Updates }): Promise<MastraDBMessage[]> {
    const updated: MastraDBMessage[] = [];
    const touched: (string | undefined)[] = [];
    for (const update of messages) {
      if (!(await this.#read("message", [update.id])).has(update.id)) continue;
      const node = await this.#change("message", update.id, (known, nodeId, order) => {
        if (known === undefined) throw new Error(`Message with id ${update.id} not found`);
        const before = messageOf(known);
        touched.push(before.threadId);
        return nodeOfMessage(nodeId, changed(before, update), order);
      });
      updated.push(messageOf(node));
      touched.push(update.threadId);
    }
    await this.#touch(touched);
    return updated;
  }

  override async deleteMessages(messageIds: string[]): Promise<void> {
    const nodes = [...(await this.#read("message", messageIds)).values()];
    for (let at = 0; at < nodes.length; at += MAX_IDS) {
      const ids = nodes.slice(at, at + MAX_IDS).map(({ id }) => id);
      await this.#memory.deleteNodes({ filter: { ids } });
    }
    await this.#touch(nodes.map((node) => placeOf(node).thread));
  }

  // ---- resources ----------------------------------------------------------------------------------

  override async getResourceById({
    resourceId,
  }: {
    resourceId: string;
  }): Promise<StorageResourceType | null> {
    const node = await this.#node(await idOf("resource", resourceId));
    return node === undefined ? null : resourceOf(node);
  }

  override async saveResource({
    resource,
  }: {
    resource: StorageResourceType;
  }): Promise<StorageResourceType> {
    await this.#change("resource", resource.id, (_, id, order) =>
      nodeOfResource(id, resource, order),
    );
    return resource;
  }

  override async updateResource({
    resourceId,
    workingMemory,
    metadata,
  }: {
    resourceId: string;
    workingMemory?: string;
    metadata?: Record<string, unknown>;
  }): Promise<StorageResourceType> {
    const node = await this.#change("resource", resourceId, (known, id, order) => {
      const now = new Date();
      const before = known ? resourceOf(known) : { id: resourceId, createdAt: now, updatedAt: now };
      const kept = { ...before, metadata: { ...before.metadata, ...metadata }, updatedAt: now };
      if (workingMemory !== undefined) kept.workingMemory = workingMemory;
      return nodeOfResource(id, kept, order);
    });
    return resourceOf(node);
  }

  // ---- memories -----------------------------------------------------------------------------------

  /** Returns a page of messages, and those that it is to include. */
  async #page(
    args: StorageListMessagesByResourceIdInput | StorageListMessagesInput,
    found: MastraDBMessage[],
    resource?: string,
  ): Promise<StorageListMessagesOutput> {
    const { include = [], filter, page = 0, perPage: given, orderBy } = args;
    const wanted = validateStorageMetadataFilter(filter?.metadata);
    const { field, direction } = this.parseOrderBy(orderBy, "ASC");
    const size = normalizePerPage(given, MESSAGES);
    this.validatePaginationInput(page, given ?? MESSAGES);
    const { offset, perPage } = calculatePagination(page, given, size);
    const order = by(field, direction);
    const all = filterByDateRange(found, ({ createdAt }) => createdAt, filter?.dateRange)
      .filter(({ content }) => storageMessageMatchesMetadataFilter(content, wanted))
      .sort(order);
    const shown = all.slice(offset, offset + size);
    const ids = new Set(shown.map(({ id }) => id));
    const others = (await this.#included(include, resource)).filter(({ id }) => !ids.has(id));
    return {
      messages: [...shown, ...others].sort(order),
      ...{ total: all.length, page, perPage },
      hasMore: offset + size < all.length,
    };
  }

  /** Returns messages by their ids, with those around them in their threads. */
  async #included(include: Includes, resource?: string): Promise<MastraDBMessage[]> {
    const found = new Map<string, MastraDBMessage>();
    const nodes = await this.#read("message", [...new Set(include.map(({ id }) => id))]);
    for (const { id, withPreviousMessages = 0, withNextMessages = 0 } of include) {
      const { thread = "", resource: owner } = nodes.get(id) ? placeOf(nodes.get(id)!) : {};
      if (thread === "" || (resource ?? owner) !== owner) continue;
      const around = await this.#messages({ thread, ...(resource && { resource }) });
      around.sort(by("createdAt", "ASC"));
      const at = around.findIndex((message) => message.id === id);
      const from = Math.max(0, at - withPreviousMessages);
      for (const message of around.slice(from, at + withNextMessages + 1))
        found.set(message.id, message);
    }
    return [...found.values()];
  }

  async #messages(...places: readonly Partial<Place>[]): Promise<MastraDBMessage[]> {
    const filters = places.map((place) => filterOf("message", place));
    return (await this.#nodes(...filters)).map(messageOf);
  }

  /** Returns the memories of some filters, in the order of their first saving. */
  async #nodes(...filters: readonly Filter[]): Promise<MemoryNode[]> {
    const found: MemoryNode[] = [];
    for (const filter of filters)
      for await (const node of nodesOf(this.#memory, filter)) found.push(node);
    return found.sort((a, b) => placeOf(a).order - placeOf(b).order);
  }

  #node(id: string): Promise<MemoryNode | undefined> {
    return unlessGone(this.#memory.readNode(id, { recall: false }));
  }

  /** Returns the memories of records by their own ids, as far as they are there. */
  async #read(kind: Kind, wanted: readonly string[]): Promise<Map<string, MemoryNode>> {
    const found = new Map<string, MemoryNode>();
    for (let at = 0; at < wanted.length; at += MAX_IDS) {
      const part = wanted.slice(at, at + MAX_IDS);
      const ids = await Promise.all(part.map((id) => idOf(kind, id)));
      const { results } = await this.#memory.readNodes({ ids, recall: false });
      for (const [place, result] of results.entries()) {
        // An answer has no room for many large ones.
        const isLeftOut = !("node" in result) && result.status === TOO_LARGE;
        const node = isLeftOut
          ? await this.#node(ids[place]!)
          : "node" in result
            ? result.node
            : undefined;
        if (node !== undefined) found.set(part[place]!, node);
      }
    }
    return found;
  }

  /** Stores messages. Those that are there already are replaced, and keep their order. */
  async #put(messages: readonly MastraDBMessage[]): Promise<void> {
    const last = new Map(messages.map((message) => [message.id, message]));
    const known = await this.#read("message", [...last.keys()]);
    const items = await Promise.all(
      Array.from(last.values(), async (message) => {
        const node = known.get(message.id);
        const order = node ? placeOf(node).order : this.#next();
        const id = await idOf("message", message.id);
        return { id, ...nodeOfMessage(id, message, order) };
      }),
    );
    const there = new Set(Array.from(known.values(), ({ id }) => id));
    const made = items.filter(({ id }) => !there.has(id));
    const replaced = items.filter(({ id }) => there.has(id));
    for (let at = 0; at < made.length; at += MAX_IDS) {
      const part = made.slice(at, at + MAX_IDS);
      const { results } = await this.#memory.createNodes({ items: part });
      for (const [place, result] of results.entries()) {
        if (!("error" in result)) continue;
        // Another program has made it meanwhile.
        if (result.status === EXISTS) replaced.push(part[place]!);
        else throw Object.assign(new Error(result.error), { status: result.status });
      }
    }
    for (const { id, ...node } of replaced) await this.#memory.putNode(id, node);
  }

  /** Tells that threads have changed. */
  async #touch(threads: readonly (string | undefined)[]): Promise<void> {
    for (const thread of new Set(threads)) {
      if (!thread) continue;
      const id = await idOf("thread", thread);
      await this.#inTurn(id, async () => {
        const node = await this.#node(id);
        if (node === undefined) return;
        // The title and the metadata, which another program may change now, are elsewhere.
        const updated = later(threadOf(node)).toISOString();
        const mastra = { ...placeOf(node), updated };
        await unlessGone(this.#memory.updateNode(id, { metadata: { mastra } }));
      });
    }
  }

  /** Replaces the memory of a record by what follows from it, and returns it. */
  async #change(
    kind: Kind,
    name: string,
    next: (node: MemoryNode | undefined, id: string, order: number) => NodeReplacement,
  ): Promise<MemoryNode> {
    const id = await idOf(kind, name);
    return this.#inTurn(id, async () => {
      const node = await this.#node(id);
      const order = node ? placeOf(node).order : this.#next();
      return this.#memory.putNode(id, next(node, id, order));
    });
  }

  /** Does work on a memory after all earlier work on it. */
  async #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(id) ?? Promise.resolve();
    const done = before.then(work, work);
    this.#turns.set(id, done);
    try {
      return await done;
    } finally {
      if (this.#turns.get(id) === done) this.#turns.delete(id);
    }
  }

  /** Returns the next place in the order: microseconds, which follow each other. */
  #next(): number {
    this.#last = Math.max(Date.now() * 1000, this.#last + 1);
    return this.#last;
  }
}

/** Compares by a time. What has the same time stays in its order. */
const by =
  (field: "createdAt" | "updatedAt", direction: "ASC" | "DESC") =>
  (a: Dated, b: Dated): number => {
    const difference = Number(a[field]) - Number(b[field]);
    return direction === "ASC" ? difference : -difference;
  };

/** Returns now, or just after the last change. */
const later = ({ updatedAt }: StorageThreadType): Date =>
  new Date(Math.max(Date.now(), updatedAt.getTime() + 1));

/** Returns messages in the form and the order that Mastra gives them. */
const inMastra = (messages: MastraDBMessage[]): MastraDBMessage[] =>
  new MessageList().add(messages, "memory").get.all.db();

/** Returns a message with changed fields. Those of its content, and of its metadata, are merged. */
function changed(before: MastraDBMessage, update: Updates[number]): MastraDBMessage {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  const fields = Object.fromEntries(given) as Updates[number];
  const content = { ...before.content, ...fields.content };
  if (before.content.metadata && fields.content?.metadata)
    content.metadata = { ...before.content.metadata, ...fields.content.metadata };
  return { ...before, ...fields, content, threadId: fields.threadId || before.threadId! };
}
