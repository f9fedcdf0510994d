// A prompt for a turn: what is to be retrieved is asked for, what comes is selected and compared with the conversation, and
// all of it is written within its budgets. The rules run in the module; here is who is asked, and what happens when that
// fails.

import { own } from "../constants.ts";
import { invalid } from "../errors.ts";
import { reasonOf } from "../orchestrator/searches.ts";
import { requireLoaded } from "../runtime.ts";
import { Seams } from "../seams.ts";
import type { Sections } from "../sections.ts";
import { contextBudget } from "./budget.ts";
import { compare } from "./dedup.ts";
import { gather } from "./gather.ts";
import type { FoundMemory } from "./memory.ts";
import { type Request, readRequest } from "./request.ts";
import { selectMemories } from "./select.ts";
import { type MemoryType, planTurn, type RetrievalPlan, selectFrame, type TurnPlan } from "./turn.ts";
import type {
  BuildContextOptions,
  BuiltContext,
  ContextBudget,
  ContextFailure,
  LeftOut,
  LeftOutReason,
  TurnFrame,
} from "./types.ts";
import { budgetOf, Entries, TokenCounter, type WrittenPrompt, writeIdentity } from "./write.ts";

const { names: TYPES } = own.memoryTypes;

/** @internal */
export async function buildContext(sections: Sections, options: BuildContextOptions): Promise<BuiltContext> {
  requireLoaded();
  const request = readRequest(sections, options);
  const seams = new Seams(request.timeoutSeconds, request.signal);
  const preparation = new Preparation(sections, request, seams);
  try {
    seams.requireWanted();
    const built = await preparation.run();
    seams.requireWanted();
    return built;
  } catch (error) {
    seams.requireWanted();
    return preparation.identityAlone(reasonOf(error));
  } finally {
    seams.close();
  }
}

/** A plan that says nothing of the turn. */
function uniform(): RetrievalPlan {
  const types = TYPES.filter((type) => type !== "signal");
  const queries = types.map((memory_type) => ({ memory_type, query_text: "", limit: own.context.limit_without_plan }));
  return { queries, budget_overrides: {}, skip_types: [] };
}

/** What is known of a turn before anything is. */
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

/** One prompt in the making. */
class Preparation {
  #failed: ContextFailure[] = [];
  #leftOut: LeftOut[] = [];
  #turn: TurnPlan;
  #plan: RetrievalPlan;
  #frame: TurnFrame;
  #budget: ContextBudget;
  #censors: string[] = [];
  #refreshNeeded = true;

  constructor(
    readonly sections: Sections,
    readonly request: Request,
    readonly seams: Seams,
  ) {
    this.#turn = unknownTurn(request.input);
    this.#plan = this.#turn.plan;
    this.#frame = request.frame ?? { frame_id: "" };
    this.#budget = contextBudget(this.#frame.frame_id, request.budgets);
  }

  async run(): Promise<BuiltContext> {
    const { sections, request, seams } = this;
    const limits = this.#planned();
    const asked = this.#plan.queries.filter(({ memory_type }) => limits.has(memory_type));
    const gathered = await gather(request, seams, asked);
    this.#failed = gathered.failed;
    this.#censors = [...new Set(gathered.censors.map(({ id }) => id))];
    this.#refreshNeeded = gathered.workingMemory?.current_frame !== this.#frame.frame_id;
    const profile = gathered.profile.filter(({ id, category }) => {
      const belongs = own.context.profile_categories.includes(category);
      if (!belongs) this.#leftOut.push({ id, section: "user_profile", reason: "unwanted" });
      return belongs;
    });
    const known = new Set([...profile, ...gathered.recent].map(({ id }) => id));
    const selected = this.#select(this.#wanted(gathered.found, limits, known));
    const memories = await this.#unsaid(selected, limits);

    const entries = new Entries();
    entries.profile(profile);
    entries.censors(gathered.censors);
    entries.frame(this.#frame);
    if (gathered.workingMemory !== null) entries.workingMemory(gathered.workingMemory);
    entries.conversations(gathered.recent, this.#turn.temporal_boost);
    entries.memories(memories);
    const write = (counter?: TokenCounter) =>
      entries.write(sections.slot, request.identity, this.#budget, request.isSeed, counter);
    return this.#built(this.#counted(write));
  }

  /** What is left when nothing else works. */
  identityAlone(reason: string): BuiltContext {
    this.#failed.push({ part: "prompt", reason });
    const { sections, request } = this;
    const most = request.isSeed ? Number.POSITIVE_INFINITY : Math.min(this.#budget.identity, this.#budget.total);
    try {
      return this.#built(this.#counted((counter) => writeIdentity(sections.slot, request.identity, most, counter)));
    } catch {
      // Too long is better than nothing.
      return this.#built({ prompt: request.identity, tokens: 0 });
    }
  }

  /** Decides what is asked for: the most memories of each type. */
  #planned(): Map<MemoryType, number> {
    const { sections, request } = this;
    const { isSeed, input } = request;
    this.#frame = request.frame ?? selectFrame(sections, input);
    const { frame_id } = this.#frame;
    this.#turn = planTurn(sections, input, frame_id, { mode: isSeed ? "seed-compatible" : "default" });
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

  /** Without what was not asked for, and what the prompt has anyway. */
  #wanted(
    found: readonly FoundMemory[],
    limits: ReadonlyMap<MemoryType, number>,
    known: ReadonlySet<string>,
  ): FoundMemory[] {
    return this.#without(found, ({ id, type }) => {
      if (!limits.has(type)) return "not_asked";
      return known.has(id) ? "known" : undefined;
    });
  }

  #select(found: readonly FoundMemory[]): FoundMemory[] {
    const { sections, request } = this;
    const { isSeed, minScores } = request;
    const boosts = this.#boosts(found.map(({ id }) => id));
    const by = { isSeed, minScores, boosts, frame: this.#frame.frame_id, censors: this.#censors };
    const { selected, leftOut } = selectMemories(sections.slot, found, by);
    this.#leftOut = this.#leftOut.concat(leftOut);
    return selected;
  }

  #boosts(ids: string[]): number[] {
    const { usage } = this.request;
    try {
      if (usage !== null && ids.length > 0) return readBoosts(usage.boost(ids), ids.length);
    } catch (error) {
      this.#failed.push({ part: "usage", reason: reasonOf(error) });
    }
    return ids.map(() => 1);
  }

  /**
   * As many of each type as were asked for, the best that the conversation does not say already. In seed-compatible mode
   * whoever found them has seen to their number.
   */
  async #unsaid(selected: readonly FoundMemory[], limits: ReadonlyMap<MemoryType, number>): Promise<FoundMemory[]> {
    const { isSeed } = this.request;
    const limitOf = (type: MemoryType) => (isSeed ? Number.POSITIVE_INFINITY : limits.get(type)!);
    const said = await this.#saidOf(selected, limitOf);
    const counts = new Map<MemoryType, number>();
    return this.#without(selected, (memory) => {
      const count = counts.get(memory.type) ?? 0;
      if (count >= limitOf(memory.type)) return "limit";
      if (said.has(memory)) return "conversation";
      counts.set(memory.type, count + 1);
      return undefined;
    });
  }

  /** Those that the conversation says already, as far as it matters: once enough are left of a type, no more are compared. */
  async #saidOf(
    selected: readonly FoundMemory[],
    limitOf: (type: MemoryType) => number,
  ): Promise<ReadonlySet<FoundMemory>> {
    const { sections, request, seams } = this;
    const { isSeed, embed } = request;
    const messages = messagesOf(request, this.#budget.conversation_window);
    const said = new Set<FoundMemory>();
    const types = TYPES.filter((type) => !(isSeed && type === "decision"));
    const open = types.map((type) => ({
      waiting: selected.filter((memory) => memory.type === type),
      missing: limitOf(type),
    }));
    try {
      // An embedder is asked but once.
      for (let share = embed === null ? 1 : Number.POSITIVE_INFINITY; ; share *= 2) {
        const batch = open.flatMap(({ waiting, missing }) => (missing > 0 ? waiting.splice(0, missing * share) : []));
        if (batch.length === 0) return said;
        const contents = batch.map(({ text }) => text);
        const { similarities, failure } = await compare(sections.slot, seams, contents, messages, embed, isSeed);
        if (failure !== undefined) this.#failed.push({ part: "embed", reason: failure });
        for (const [place, memory] of batch.entries()) {
          if (similarities[place]!.isSame) said.add(memory);
          else open[types.indexOf(memory.type)]!.missing--;
        }
      }
    } catch (error) {
      seams.requireWanted();
      this.#failed.push({ part: "conversation", reason: reasonOf(error) });
      return new Set();
    }
  }

  /** Memories without those that there is a reason against, which are noted. */
  #without(memories: readonly FoundMemory[], why: (memory: FoundMemory) => LeftOutReason | undefined): FoundMemory[] {
    return memories.filter((memory) => {
      const reason = why(memory);
      if (reason !== undefined) this.#leftOut.push({ id: memory.id, section: budgetOf(memory.type), reason });
      return reason === undefined;
    });
  }

  /** Does something with the caller's way to count tokens, and again without it if that fails. */
  #counted<T>(write: (counter?: TokenCounter) => T): T {
    const { countTokens } = this.request;
    if (countTokens === null) return write();
    const counter = new TokenCounter(countTokens);
    const written = write(counter);
    if (counter.failure === undefined) return written;
    this.#failed.push({ part: "count_tokens", reason: counter.failure });
    return write();
  }

  #built(written: Pick<WrittenPrompt, "prompt" | "tokens"> & Partial<WrittenPrompt>): BuiltContext {
    const { prompt, tokens, sections = [], recalled = [], leftOut = [] } = written;
    const idsOf = (type: MemoryType) => recalled.filter((memory) => memory.type === type).map(({ id }) => id);
    return {
      prompt,
      tokens,
      sections,
      recalled_ids: Object.fromEntries(TYPES.map((type) => [type, idsOf(type)])) as Record<MemoryType, string[]>,
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
  if (read.length === count && read.every((boost) => Number.isFinite(boost))) return read as number[];
  throw invalid("usage.boost", `must give ${count} finite numbers`);
}

/**
 * What memories are compared with: the user's last turns and what was answered to them. In seed-compatible mode what the
 * user said, and that only as far as it is among the last few messages.
 */
function messagesOf({ messages, isSeed }: Request, turns: number): string[] {
  const considered = isSeed ? messages.slice(-own.context.seed_messages) : messages;
  const said: string[] = [];
  let left = turns;
  for (let place = considered.length - 1; place >= 0 && left > 0; place--) {
    const { role, content } = considered[place]!;
    if (role === "user") left--;
    if (role === "user" || (role === "assistant" && !isSeed)) said.push(content);
  }
  return said.reverse();
}
