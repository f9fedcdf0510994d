// The fuzzer: lives of generated calls, with each answer or error checked. A life follows from its
// seed, so a failure can be repeated, and is reported with the fewest calls that still fail.

import { setImmediate as nextTick } from "node:timers/promises";
import { inspect } from "node:util";
import * as reference from "../../../../js/reference/index.ts";
import { same } from "../../../parity/support/same.ts";
import { Dice, seedOf } from "./dice.ts";
import { FUNCTIONS } from "./functions.ts";
import { type Anything, type Kind, type Package, World } from "./kinds.ts";
import { OBJECTS } from "./objects.ts";
import { CallersOwn, NOW, Values } from "./values.ts";

/** Every kind of generated call. */
export const KINDS: readonly Kind[] = [...FUNCTIONS, ...OBJECTS];

/** Calls of a life. */
export const LIFE = 800;
/** Promises that are awaited together. */
const MAX_PENDING = 4;
/** The maximum depth of nested calls. */
const DEEPEST = 2;
/** Attempts to shorten a failing life. */
const MAX_REPLAYS = 60;

/** Each kind, repeated by its weight, so that one pick chooses by weight. */
const wheelOf = (kinds: readonly Kind[]): readonly Kind[] =>
  kinds.flatMap((kind) => new Array<Kind>(Math.ceil(kind.weight * 100)).fill(kind));
const WHEEL = wheelOf(KINDS);
/** A getter cannot wait. */
const NESTED = wheelOf(KINDS.filter(({ isWaiting }) => !isWaiting));

/** How often a kind was called, and how often it was answered rather than refused. */
export interface Tally {
  calls: number;
  answered: number;
}

/** A call, its arguments, and its fault. */
interface Fault {
  place: number;
  kind: string;
  fault: string;
  args: string;
}

type Outcome = { answer: unknown } | { error: unknown };

/** One life: objects made, called at random, and freed. */
class Life {
  readonly #world: World;
  readonly #seed: number;
  readonly #tally: Map<string, Tally>;
  readonly #pending: Promise<void>[] = [];
  /** Whether caller code is inactive: then answers are read again for the check. */
  #isQuiet = false;
  #depth = 0;
  /** Calls that getters of arguments made. */
  nested = 0;
  #place = 0;
  found: Fault | undefined;

  constructor(nous: Package, seed: number, tally: Map<string, Tally>) {
    this.#seed = seed;
    this.#tally = tally;
    this.#world = new World(nous, (call) => this.#callBack(call));
  }

  /** Makes the calls at these indexes, until one is wrong. */
  async run(places: Iterable<number>): Promise<Fault | undefined> {
    for (const place of places) {
      this.#place = place;
      this.#call(seedOf(this.#seed, place), WHEEL);
      if (this.#pending.length >= MAX_PENDING) await this.#settle();
      if (this.found !== undefined) break;
    }
    await this.#settle();
    this.#world.end();
    return this.found;
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#pending.splice(0));
  }

  #callBack(seed: number): void {
    if (this.#isQuiet || this.#depth === DEEPEST) return;
    if (seed % 8 === 0) throw new CallersOwn("a getter");
    this.nested++;
    this.#depth++;
    try {
      this.#call(seed, NESTED);
    } finally {
      this.#depth--;
    }
  }

  /** One call, and the effects of its answer. */
  #call(seed: number, wheel: readonly Kind[]): void {
    const dice = new Dice(seed);
    const kind = dice.pick(wheel);
    const world = this.#world;
    const own = dice.next();
    const values = new Values(own, world.callback);
    const { engine } = world;
    const prefersEngine = dice.oneIn(3);
    const ask = (args: Anything[]): Outcome => this.#ask(kind, args, prefersEngine);
    const args = this.#quietly(() => kind.args(values, world));
    const target = kind.place && world[kind.place];
    const before = kind.isChange && dice.oneIn(8) ? this.#saved(target) : undefined;
    const nested = this.nested;
    const outcome = ask(args);
    if (kind.isWaiting && "answer" in outcome) {
      this.#wait(kind, args, outcome.answer as PromiseLike<unknown>);
      return;
    }
    this.#quietly(() => {
      this.#judge(kind, args, outcome, target);
      if (before !== undefined && "error" in outcome && this.nested === nested)
        this.#requireSame(kind, args, target, before);
      if (!kind.isPure || ("error" in outcome && outcome.error instanceof CallersOwn)) return;
      // A getter may have made another engine meanwhile.
      const current = world.engine;
      world.engine = engine;
      if (values.isOdd)
        this.#compare(kind, args, outcome, ask(kind.args(new Values(own), world)), "in plain form");
      else if (dice.oneIn(4)) this.#compare(kind, args, outcome, ask(args), "asked again");
      world.engine = current;
      if (kind.isModelled && !prefersEngine && "answer" in outcome && dice.oneIn(4))
        this.#model(kind, args, outcome);
    });
  }

  #ask(kind: Kind, args: Anything[], prefersEngine: boolean): Outcome {
    this.#world.prefersEngine = prefersEngine;
    try {
      return { answer: kind.call(this.#world, args) };
    } catch (error) {
      return { error };
    }
  }

  #quietly<T>(work: () => T): T {
    const wasQuiet = this.#isQuiet;
    this.#isQuiet = true;
    try {
      return work();
    } finally {
      this.#isQuiet = wasQuiet;
    }
  }

  /** A snapshot for comparison; undefined if it cannot be taken. */
  #saved(target: Anything): Buffer | undefined {
    try {
      return Buffer.from(target.snapshot());
    } catch {
      return undefined;
    }
  }

  /** Checks that a refused call changed nothing. */
  #requireSame(kind: Kind, args: Anything[], target: Anything, before: Buffer): void {
    const after = this.#saved(target);
    if (after !== undefined && !after.equals(before))
      this.#tell(kind, args, "is refused, and has changed something");
  }

  #wait(kind: Kind, args: Anything[], promise: PromiseLike<unknown>): void {
    const place = this.#place;
    const judge = (outcome: Outcome) => {
      const current = this.#place;
      this.#place = place;
      this.#quietly(() => this.#judge(kind, args, outcome, undefined));
      this.#place = current;
    };
    this.#pending.push(
      Promise.resolve(promise).then(
        (answer) => judge({ answer }),
        (error) => judge({ error }),
      ),
    );
  }

  #judge(kind: Kind, args: Anything[], outcome: Outcome, target: object | undefined): void {
    const tally = this.#tally.get(kind.name)!;
    tally.calls++;
    if ("error" in outcome) {
      const fault = this.#faultOf(outcome.error, kind, args, target);
      if (fault !== undefined) this.#tell(kind, args, fault);
      return;
    }
    tally.answered++;
    // A getter may have removed the call's effect after it.
    if (this.#world.freed.has(kind.place ? this.#world[kind.place] : this)) return;
    const fault = kind.fault?.(outcome.answer, args, this.#world);
    if (fault !== undefined) this.#tell(kind, args, `${fault}: ${shown(outcome.answer)}`);
  }

  /** The fault of an error; undefined if the package may raise it, or if it is the caller's own. */
  #faultOf(
    error: unknown,
    kind: Kind,
    args: Anything[],
    target: object | undefined,
  ): string | undefined {
    if (error instanceof CallersOwn) return undefined;
    if (!(error instanceof this.#world.nous.NousError)) {
      if (kind.isNumeric && error instanceof TypeError && args.some(isNoNumber)) return undefined;
      return `threw ${error instanceof Error ? error.stack : shown(error)}`;
    }
    const { code, message, details } = error as Anything;
    if (code !== "invalid_argument" && !kind.codes?.includes(code))
      return `threw ${code}: ${message}`;
    if (code === "freed" && target !== undefined && !this.#world.freed.has(target))
      return "is freed before its time";
    if (typeof message !== "string" || message === "") return "threw an error without a word";
    return details.field === undefined || typeof details.field === "string"
      ? undefined
      : "names no field";
  }

  #compare(kind: Kind, args: Anything[], first: Outcome, second: Outcome, how: string): void {
    if ("error" in first && "error" in second) {
      const [one, other] = [first.error, second.error].map((error) =>
        String((error as Error).message),
      );
      if (one !== other) this.#tell(kind, args, `threw ${one}, and ${how} ${other}`);
      return;
    }
    const difference = same(first, second);
    if (difference !== null) this.#tell(kind, args, `answers otherwise ${how}: ${difference}`);
  }

  #model(kind: Kind, args: Anything[], { answer }: { answer: unknown }): void {
    const difference = same(answer, (reference as Anything)[kind.name](...args));
    if (difference !== null)
      this.#tell(kind, args, `is not what the reference answers: ${difference}`);
  }

  #tell({ name }: Kind, args: Anything[], fault: string): void {
    this.found ??= { place: this.#place, kind: name, fault, args: shown(args) };
  }
}

/** Whether JavaScript refuses to convert a value, or one of its fields, to a number. */
function isNoNumber(value: Anything): boolean {
  const parts =
    typeof value === "object" && value !== null ? [value, ...Object.values(value)] : [value];
  return parts.some((part) => {
    try {
      Math.abs(part as number);
      return false;
    } catch {
      return true;
    }
  });
}

const shown = (value: unknown): string =>
  inspect(value, {
    depth: 6,
    maxStringLength: 300,
    maxArrayLength: 40,
    breakLength: 140,
    getters: false,
  });

/** The calls of a life, by name and arguments, in their last failing form. */
interface Minimal {
  places: number[];
  found: Fault;
}

/** The shortest list of calls found that fails in the same way. */
async function minimal(nous: Package, seed: number, first: Fault): Promise<Minimal> {
  let places = Array.from({ length: first.place + 1 }, (_, place) => place);
  let found = first;
  let replays = 0;
  for (let size = places.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < places.length && replays < MAX_REPLAYS; replays++) {
      const fewer = places.toSpliced(at, size);
      const again = await new Life(nous, seed, tallies()).run(fewer);
      if (again?.kind === first.kind) [places, found] = [fewer, again];
      else at += size;
    }
  }
  return { places, found };
}

const tallies = (): Map<string, Tally> =>
  new Map(KINDS.map(({ name }) => [name, { calls: 0, answered: 0 }]));

/** The result of a run. */
export interface Report {
  /** Calls made, without those of getters. */
  calls: number;
  /** Calls that getters of arguments made. */
  nested: number;
  tally: Map<string, Tally>;
}

/**
 * Makes at least this many generated calls, in lives from one seed on, and finishes the last life;
 * `between` is called after each with the number of calls so far. The clock stands still meanwhile.
 *
 * @throws an Error that names the seed of the life, the fault, and the fewest calls that repeat it.
 */
export async function fuzz(
  nous: Package,
  {
    calls,
    seed,
    between,
  }: { calls: number; seed: number; between: (calls: number) => void | Promise<void> },
): Promise<Report> {
  const clock = Date.now;
  Date.now = () => NOW;
  const report: Report = { calls: 0, nested: 0, tally: tallies() };
  try {
    for (let life = seed; report.calls < calls; life++) {
      const lived = new Life(nous, life, report.tally);
      const found = await lived.run(Array(LIFE).keys());
      if (found !== undefined) throw new Error(await reportOf(nous, life, found));
      report.calls += LIFE;
      report.nested += lived.nested;
      // Finalizers run between ticks, and free unreferenced engines.
      await nextTick();
      await between(report.calls);
    }
  } finally {
    Date.now = clock;
  }
  return report;
}

async function reportOf(nous: Package, seed: number, first: Fault): Promise<string> {
  const { places, found } = await minimal(nous, seed, first);
  const lines = [
    `${found.kind} ${found.fault}`,
    `with ${found.args}`,
    `It fails again with SEED=${seed}; of that life's calls these are enough: ${places.join(", ")}`,
  ];
  return lines.join("\n");
}
