// Building a prompt: calls the caller's functions, selects memories, compares them with the
// conversation, and writes everything within its budgets. The rules run in the module. This file
// decides the order of the calls and what happens if one fails.

import { CallerCalls } from "../caller-calls.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, reasonOf } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import { requireLoaded } from "../runtime.ts";
import { contextBudget } from "./budget.ts";
import { compare, type Embed } from "./dedup.ts";
import { firstOfEach } from "./entries.ts";
import { type Gathered, gather } from "./gather.ts";
import type { FoundMemory } from "./memory.ts";
import { type Request, readRequest } from "./request.ts";
import { selectMemories } from "./select.ts";
import {
  type MemoryType,
  planTurn,
  type RetrievalPlan,
  selectFrame,
  type TurnPlan,
} from "./turn.ts";
import type {
  BuildContextOptions,
  BuiltContext,
  ContextBudget,
  ContextFailure,
  LeftOut,
  LeftOutReason,
  ProfileFact,
  RecentConversation,
  TurnFrame,
} from "./types.ts";
import { budgetOf, Entries, TokenCounter, type WrittenPrompt, writeIdentity } from "./write.ts";

const { names: TYPES } = moduleConstants.memory_types;
const PROFILE_CATEGORIES = new Set<string>(moduleConstants.context.profile_categories);

/** @internal */
export async function buildContext(
  context: EngineContext,
  options: BuildContextOptions,
): Promise<BuiltContext> {
  requireLoaded();
  const request = readRequest(context, options);
  const calls = new CallerCalls(request.timeoutSeconds, request.signal);
  const preparation = new Preparation(context, request, calls);
  try {
    calls.requireWanted();
    const built = await preparation.run();
    calls.requireWanted();
    return built;
  } catch (error) {
    calls.requireWanted();
    return preparation.identityAlone(reasonOf(error));
  } finally {
    calls.close();
  }
}

/** A plan that does not depend on the turn. */
function uniform(): RetrievalPlan {
  const types = TYPES.filter((type) => type !== "signal");
  const queries = types.map((memory_type) => ({
    memory_type,
    query_text: "",
    limit: moduleConstants.context.limit_without_plan,
  }));
  return { queries, budget_overrides: {}, skip_types: [] };
}

/** The turn before it is classified. */
function unknownTurn(input: string): TurnPlan {
  return {
    signals: {
      input,
      frame_type: "",
      entity_mentions: [],
      temporal_recency: 0,
      memory_type_hints: {},
      is_question: false,
      is_greeting: false,
      is_acknowledgement: false,
      topic_keywords: [],
    },
    plan: { queries: [], budget_overrides: {}, skip_types: [] },
    temporal_boost: false,
    recap: false,
  };
}

/** Sections whose entries are in the prompt without having been retrieved as memories. */
interface Listed {
  profile: readonly ProfileFact[];
  recent: readonly RecentConversation[];
}

/** One prompt while it is built. */
class Preparation {
  #failed: ContextFailure[] = [];
  #leftOut: LeftOut[] = [];
  #turn: TurnPlan;
  #plan: RetrievalPlan;
  #frame: TurnFrame;
  #budget: ContextBudget;
  #censors: string[] = [];
  #refreshNeeded = true;
  #boosts: ReadonlyMap<FoundMemory, number> = new Map();
  /** Null after the embedder was called. */
  #embed: Embed | null;
  /** For each compared memory whether the conversation contains it. */
  readonly #isSaid = new Map<FoundMemory, boolean>();

  constructor(
    readonly context: EngineContext,
    readonly request: Request,
    readonly calls: CallerCalls,
  ) {
    this.#turn = unknownTurn(request.input);
    this.#plan = this.#turn.plan;
    this.#frame = request.frame ?? { frame_id: "" };
    this.#budget = contextBudget(this.#frame.frame_id, request.budgets);
    this.#embed = request.embed;
  }

  async run(): Promise<BuiltContext> {
    const { request, calls } = this;
    const limits = this.#planned();
    const asked = this.#plan.queries.filter(({ memory_type }) => limits.has(memory_type));
    const gathered = await gather(request, calls, asked);
    this.#failed = gathered.failed;
    this.#censors = [...new Set(gathered.censors.map(({ id }) => id))];
    this.#refreshNeeded = gathered.workingMemory?.current_frame !== this.#frame.frame_id;
    const wanted = this.#without(gathered.found, ({ type }) =>
      limits.has(type) ? undefined : "not_asked",
    );
    this.#readBoosts(wanted);
    const settled = this.#leftOut;
    let listed: Listed = { profile: this.#profile(gathered.profile), recent: gathered.recent };
    for (;;) {
      this.#leftOut = [...settled];
      const written = await this.#write(gathered, listed, wanted, limits);
      const unwritten = this.#unwritten(listed, written);
      if (unwritten.length === 0) return this.#built(written);
      // An entry without room stays out, also after the memory took its place.
      settled.push(...unwritten);
      const ids = new Set(unwritten.map(({ id }) => id));
      const stays = ({ id }: { id: string }) => !ids.has(id);
      listed = { profile: listed.profile.filter(stays), recent: listed.recent.filter(stays) };
    }
  }

  /** Returns the prompt of last resort: the identity alone. */
  identityAlone(reason: string): BuiltContext {
    this.#failed.push({ part: "prompt", reason });
    const { context, request } = this;
    const max = request.isSeed
      ? Number.POSITIVE_INFINITY
      : Math.min(this.#budget.identity, this.#budget.total);
    try {
      const written = this.#counted((counter) =>
        writeIdentity(context.pool, request.identity, max, counter),
      );
      if (written.prompt === "" && request.identity !== "") {
        const reason = this.#budget.total < this.#budget.identity ? "total" : "budget";
        this.#leftOut.push({ id: null, section: "identity", reason });
      }
      return this.#built(written);
    } catch {
      // An identity above its budget is better than no prompt.
      return this.#built({ prompt: request.identity, tokens: 0 });
    }
  }

  /** Plans the retrieval. Returns the most memories of each type. */
  #planned(): Map<MemoryType, number> {
    const { context, request } = this;
    const { isSeed, input } = request;
    this.#frame = request.frame ?? selectFrame(context, input);
    const { frame_id } = this.#frame;
    this.#turn = planTurn(context, input, frame_id, {
      mode: isSeed ? "seed-compatible" : "default",
    });
    this.#plan = request.plan === undefined ? this.#turn.plan : (request.plan ?? uniform());
    const { queries, skip_types, budget_overrides } = this.#plan;
    this.#budget = contextBudget(frame_id, budget_overrides, request.budgets);
    const limits = new Map<MemoryType, number>();
    for (const { memory_type, limit } of queries) {
      const isSkipped = skip_types.includes(memory_type) || (isSeed && memory_type === "signal");
      if (isSkipped || this.#budget[budgetOf(memory_type)] === 0) continue;
      limits.set(memory_type, limit + (limits.get(memory_type) ?? 0));
    }
    return limits;
  }

  /** Returns the facts that a profile shows, each once. */
  #profile(facts: readonly ProfileFact[]): ProfileFact[] {
    const wanted = facts.filter(({ id, category }) => {
      const belongs = PROFILE_CATEGORIES.has(category);
      if (!belongs) this.#leftOut.push({ id, section: "user_profile", reason: "unwanted" });
      return belongs;
    });
    return firstOfEach(wanted);
  }

  /**
   * Writes a prompt. Memories that the profile or the recent conversations contain are left out.
   */
  async #write(
    { censors, workingMemory }: Gathered,
    { profile, recent }: Listed,
    wanted: readonly FoundMemory[],
    limits: ReadonlyMap<MemoryType, number>,
  ): Promise<WrittenPrompt> {
    const { context, request } = this;
    const ids = new Set([...profile, ...recent].map(({ id }) => id));
    const known = wanted.filter(({ id }) => ids.has(id));
    const selected = this.#select(
      this.#without(wanted, ({ id }) => (ids.has(id) ? "known" : undefined)),
    );
    const memories = await this.#unsaid(selected, known, limits);
    const entries = new Entries();
    entries.profile(profile);
    entries.censors(censors);
    entries.frame(this.#frame);
    if (workingMemory !== null) entries.workingMemory(workingMemory);
    entries.conversations(recent, this.#turn.temporal_boost);
    entries.memories(memories);
    return this.#counted((counter) =>
      entries.write(context.pool, request.identity, this.#budget, request.isSeed, counter),
    );
  }

  /**
   * Returns the entries of profile and conversations that had no room, although their memories were
   * left out in favour of them.
   */
  #unwritten({ profile, recent }: Listed, { leftOut }: WrittenPrompt): LeftOut[] {
    const known = new Set(
      this.#leftOut.filter(({ reason }) => reason === "known").map(({ id }) => id),
    );
    const listed = { user_profile: profile, recent_conversations: recent };
    const standing = new Set<string | null>();
    const missing: LeftOut[] = [];
    for (const [name, entries] of Object.entries(listed)) {
      const out = leftOut.filter(({ section }) => section === name);
      missing.push(...out.filter(({ id }) => known.has(id)));
      const ids = new Set(out.map(({ id }) => id));
      for (const { id } of entries) if (!ids.has(id)) standing.add(id);
    }
    return missing.filter(({ id }) => !standing.has(id));
  }

  #select(found: readonly FoundMemory[]): FoundMemory[] {
    const { context, request } = this;
    const { isSeed, minScores, now } = request;
    const boosts = found.map((memory) => this.#boosts.get(memory)!);
    const { temporal_recency: recency } = this.#turn.signals;
    const by = {
      isSeed,
      minScores,
      boosts,
      frame: this.#frame.frame_id,
      censors: this.#censors,
      recency,
      now,
    };
    const { selected, leftOut } = selectMemories(context.pool, found, by);
    this.#leftOut.push(...leftOut);
    return selected;
  }

  #readBoosts(memories: readonly FoundMemory[]): void {
    const { usage, now } = this.request;
    let boosts: number[] | undefined;
    try {
      if (usage !== null && memories.length > 0)
        boosts = readBoosts(
          usage.boost(
            memories.map(({ id }) => id),
            now,
          ),
          memories.length,
        );
    } catch (error) {
      this.#fail("usage", reasonOf(error));
    }
    this.#boosts = new Map(memories.map((memory, place) => [memory, boosts?.[place] ?? 1]));
  }

  /** Records a failure once per part, however often the prompt is written. */
  #fail(part: ContextFailure["part"], reason: string): void {
    if (!this.#failed.some((failure) => failure.part === part)) this.#failed.push({ part, reason });
  }

  /**
   * Limits each type to its number, in order, skipping memories that the conversation contains. In
   * the seed-compatible mode the caller's `retrieve` applies the limit.
   */
  async #unsaid(
    selected: readonly FoundMemory[],
    known: readonly FoundMemory[],
    limits: ReadonlyMap<MemoryType, number>,
  ): Promise<FoundMemory[]> {
    const { isSeed } = this.request;
    const limitOf = (type: MemoryType) => (isSeed ? Number.POSITIVE_INFINITY : limits.get(type)!);
    const said = await this.#saidOf(selected, known, limitOf);
    const counts = new Map<MemoryType, number>();
    return this.#without(selected, (memory) => {
      const count = counts.get(memory.type) ?? 0;
      if (count >= limitOf(memory.type)) return "limit";
      if (said.has(memory)) return "conversation";
      counts.set(memory.type, count + 1);
      return undefined;
    });
  }

  /**
   * Returns the memories that the conversation contains, as far as the result matters: once a type
   * has enough other memories, no more are compared. The embedder is called only once, so it gets
   * all memories at once, including those that are known now and may turn out to be unknown.
   */
  async #saidOf(
    selected: readonly FoundMemory[],
    known: readonly FoundMemory[],
    limitOf: (type: MemoryType) => number,
  ): Promise<ReadonlySet<FoundMemory>> {
    const { isSeed } = this.request;
    const compared = ({ type }: FoundMemory) => !(isSeed && type === "decision");
    const said = new Set<FoundMemory>();
    const open = TYPES.map((type) => ({
      waiting: selected.filter((memory) => memory.type === type && compared(memory)),
      missing: limitOf(type),
    }));
    try {
      if (this.#embed !== null) await this.#compare([...selected, ...known].filter(compared));
      for (let share = 1; ; share *= 2) {
        const batch = open.flatMap(({ waiting, missing }) =>
          missing > 0 ? waiting.splice(0, missing * share) : [],
        );
        if (batch.length === 0) return said;
        await this.#compare(batch);
        for (const memory of batch) {
          if (this.#isSaid.get(memory)) said.add(memory);
          else open[TYPES.indexOf(memory.type)]!.missing--;
        }
      }
    } catch (error) {
      this.calls.requireWanted();
      this.#fail("conversation", reasonOf(error));
      return new Set();
    }
  }

  /** Compares memories with the conversation, unless they were compared before. */
  async #compare(memories: readonly FoundMemory[]): Promise<void> {
    const { context, request, calls } = this;
    const messages = messagesOf(request, this.#budget.conversation_window);
    const fresh = memories.filter((memory) => !this.#isSaid.has(memory));
    const contents = fresh.map(({ text }) => text);
    const embed = this.#embed;
    if (contents.length > 0) this.#embed = null;
    const { similarities, failure } = await compare(
      context.pool,
      calls,
      contents,
      messages,
      embed,
      request.isSeed,
    );
    if (failure !== undefined) this.#fail("embed", failure);
    for (const [place, memory] of fresh.entries())
      this.#isSaid.set(memory, similarities[place]!.isSame);
  }

  /** Returns the memories without a reason against them, and records the others as left out. */
  #without(
    memories: readonly FoundMemory[],
    why: (memory: FoundMemory) => LeftOutReason | undefined,
  ): FoundMemory[] {
    return memories.filter((memory) => {
      const reason = why(memory);
      if (reason !== undefined)
        this.#leftOut.push({ id: memory.id, section: budgetOf(memory.type), reason });
      return reason === undefined;
    });
  }

  /** Calls `write` with the caller's token counter, and again without it if the counter fails. */
  #counted<T>(write: (counter?: TokenCounter) => T): T {
    const { countTokens } = this.request;
    if (countTokens === null) return write();
    const counter = new TokenCounter(countTokens);
    const written = write(counter);
    if (counter.failure === undefined) return written;
    this.#fail("count_tokens", counter.failure);
    return write();
  }

  #built(written: Pick<WrittenPrompt, "prompt" | "tokens"> & Partial<WrittenPrompt>): BuiltContext {
    const { prompt, tokens, sections = [], recalled = [], leftOut = [] } = written;
    const idsOf = (type: MemoryType) =>
      recalled.filter((memory) => memory.type === type).map(({ id }) => id);
    return {
      prompt,
      tokens,
      sections,
      recalled_ids: Object.fromEntries(TYPES.map((type) => [type, idsOf(type)])) as Record<
        MemoryType,
        string[]
      >,
      recalled_content: Object.fromEntries(recalled.map(({ id, text }) => [id, text])),
      active_censors: this.#censors,
      frame: this.#frame,
      signals: this.#turn.signals,
      plan: this.#plan,
      temporal_boost: this.#turn.temporal_boost,
      refresh_needed: this.#refreshNeeded,
      left_out: this.#leftOut.concat(leftOut),
      failed: this.#failed,
    };
  }
}

function readBoosts(boosts: unknown, count: number): number[] {
  const read: unknown[] = Array.isArray(boosts) ? Array.from(boosts) : [];
  if (read.length === count && read.every((boost) => Number.isFinite(boost)))
    return read as number[];
  throw invalid("usage.boost", `must give ${count} finite numbers`);
}

/**
 * Returns the messages that memories are compared with: the user's last turns, and as many of the
 * last answers at most. In the seed-compatible mode: only the user's messages among the last few
 * messages.
 */
function messagesOf({ messages, isSeed }: Request, turns: number): string[] {
  const considered = isSeed ? messages.slice(-moduleConstants.context.seed_messages) : messages;
  const said: string[] = [];
  const left = new Map([
    ["user", turns],
    ["assistant", isSeed ? 0 : turns],
  ]);
  for (let place = considered.length - 1; place >= 0 && left.get("user")! > 0; place--) {
    const { role, content } = considered[place]!;
    const more = left.get(role) ?? 0;
    if (more === 0) continue;
    left.set(role, more - 1);
    said.push(content);
  }
  return said.reverse();
}
