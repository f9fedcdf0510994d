// The package under very many generated calls: every export, with numbers, texts, lists and objects
// of every kind, in any order on living objects, with callers whose getters call back.
// FUZZ_CALLS is their number, SEED the first seed; `npm run long -- fuzz` makes ten million.

import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { amount, SEED } from "../support/amount.ts";
import { fuzz, KINDS, LIFE } from "./support/fuzz/fuzzer.ts";
import type { Package } from "./support/fuzz/kinds.ts";

const MINUTES = 60_000;
const MiB = 2 ** 20;
const CALLS = Number(process.env.FUZZ_CALLS ?? amount(250_000));
/** Milliseconds that a call may take on a busy machine. */
const PATIENCE = 2;
/**
 * The share of the calls after which memory must stay constant, and the bytes that it may still
 * grow by: less than one for each call of the long form.
 */
const WARM = 0.4;
const SLACK = 4 * MiB;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The memories of all referenced instances of the module. */
let memories: WeakRef<WebAssembly.Memory>[] = [];
let nous: Package;

beforeAll(async () => {
  const { Instance } = WebAssembly;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(made: typeof Instance, args: [WebAssembly.Module]) {
      const instance = new made(...args);
      memories.push(new WeakRef(instance.exports.memory as WebAssembly.Memory));
      return instance;
    },
  });
  // Only now: loading the package creates the module's first instance.
  nous = await import("nous-wasm");
});

/** Bytes of all instances of the module, and of JavaScript's heap, after all pending frees. */
async function held(): Promise<{ modules: number; heap: number }> {
  // Engines are freed by finalizers, which run between ticks.
  for (let turn = 0; turn < 4; turn++) {
    collect();
    await sleep(1);
  }
  memories = memories.filter((memory) => memory.deref() !== undefined);
  const modules = memories.reduce(
    (sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0),
    0,
  );
  return { modules, heap: process.memoryUsage().heapUsed };
}

/** The exports of the package: functions by their names, and the members of classes. */
function surface(): string[] {
  // Functions for the entries of the package and for `nous-server`, not for callers.
  const internal = new Set(["editDistance", "setDefaultModule"]);
  const functions = Object.entries(nous).filter(
    ([name, value]) => typeof value === "function" && !internal.has(name),
  );
  return functions.flatMap(([name, value]) => (isClass(value) ? partsOf(name, value) : [name]));
}

const isClass = (value: unknown): value is { prototype: object } =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));

function partsOf(name: string, made: { prototype: object }): string[] {
  if (name === "NousError") return [name];
  const own = Object.getOwnPropertyNames(made.prototype).filter(
    (method) => method !== "constructor",
  );
  const statics = Object.getOwnPropertyNames(made).filter(
    (field) => !["length", "name", "prototype"].includes(field),
  );
  const parts = [...own, ...statics].map((part) => `${name}.${part}`);
  // Only the package creates rankings.
  return name === "Ranking" ? parts : [`new ${name}`, ...parts];
}

describe("generated calls", () => {
  it("cover every export of the package", async () => {
    const covered = new Set(KINDS.map(({ name }) => name));
    expect(surface().filter((name) => !covered.has(name))).toEqual([]);
    const { retrieve, ...others } = nous.createOrchestrator({ search: () => [] });
    expect([typeof retrieve, others, covered.has("Orchestrator.retrieve")]).toEqual([
      "function",
      {},
      true,
    ]);
    // The package has every function of an engine; a call goes to either.
    expect(Object.keys(nous.createEngine()).filter((name) => !(name in nous))).toEqual([]);
  });

  it(
    `are answered correctly or refused, ${CALLS} of them, and leak no memory`,
    async () => {
      let warm: Awaited<ReturnType<typeof held>> | undefined;
      const between = async (calls: number) => {
        if (warm === undefined && calls >= WARM * CALLS) warm = await held();
      };
      const constants = JSON.stringify(nous);
      const { calls, nested, tally } = await fuzz(nous, { calls: CALLS, seed: SEED, between });
      const end = await held();
      console.info(
        `${calls} generated calls from seed ${SEED} on, and ${nested} made by getters of their arguments`,
      );
      console.info(`held when warm and in the end, in bytes: ${JSON.stringify([warm, end])}`);

      expect(calls).toBeGreaterThanOrEqual(CALLS);
      // Each is refused often enough; each must be answered, too.
      const unanswered = [...tally]
        .filter(([, { answered }]) => answered === 0)
        .map(([name]) => name);
      expect(calls < 100 * LIFE ? [] : unanswered).toEqual([]);
      expect(JSON.stringify(nous)).toBe(constants);
      expect(end.modules - warm!.modules, "bytes of modules").toBeLessThan(SLACK);
      expect(end.heap - warm!.heap, "bytes of the heap").toBeLessThan(SLACK);
    },
    Math.max(20 * MINUTES, CALLS * PATIENCE),
  );
});

describe("a wrong call is found, and reported with the calls that repeat it, if", () => {
  /** The package with one function replaced. */
  const with_ = (name: string, call: (...args: never[]) => unknown): Package => ({
    ...nous,
    [name]: call,
  });
  const found = async (broken: Package): Promise<string> => {
    // The lives of a fixed seed, in which each of these functions is called.
    const run = fuzz(broken, { calls: 40 * LIFE, seed: 1, between: () => undefined });
    return run.then(
      () => "nothing",
      (error) => (error as Error).message,
    );
  };

  it("it traps", async () => {
    const traps = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    const message = await found(with_("nextTopic", traps));
    expect(message).toMatch(/^nextTopic threw RuntimeError: unreachable/);
    expect(message).toMatch(/SEED=\d+; of that life's calls these are enough: \d+$/);
  });

  it("it loses its instance", async () => {
    const loses = () => {
      throw new nous.NousError("instance_lost", "The engine failed.");
    };
    expect(await found(with_("estimateTokens", loses))).toMatch(
      /^estimateTokens threw instance_lost/,
    );
  });

  it("it takes a getter's exception for its own", async () => {
    const takes = (...args: Parameters<Package["rerankTop"]>) => {
      try {
        return nous.rerankTop(...args);
      } catch (error) {
        throw error instanceof nous.NousError ? error : new TypeError("not mine");
      }
    };
    expect(await found(with_("rerankTop", takes))).toMatch(/^rerankTop threw TypeError: not mine/);
  });

  it("it answers differently on a second call, or for a caller with calling objects", async () => {
    let last: unknown;
    const wanders = (...args: Parameters<Package["overlap"]>) => {
      const isAgain = last === args[0];
      last = args[0];
      return isAgain ? 0.123 : nous.overlap(...args);
    };
    expect(await found(with_("overlap", wanders))).toMatch(/^overlap answers otherwise/);
  });

  it("it ranks out of order", async () => {
    const turned = (...args: Parameters<Package["rerankTop"]>) => nous.rerankTop(...args).reverse();
    expect(await found(with_("rerankTop", turned))).toMatch(/^rerankTop is out of order/);
  });

  it("it reads another text than it was given", async () => {
    const stale = (text: string) => ({ ...nous.classifyQueryType(text), entity: "another's" });
    expect(await found(with_("classifyQueryType", stale))).toMatch(
      /^classifyQueryType is not there/,
    );
  });

  it("a refused call has a partial effect", async () => {
    class Careless extends nous.MemoryIndex {
      upsert(...args: unknown[]) {
        const [nodes] = args;
        try {
          return super.upsert(...args);
        } catch (error) {
          if (Array.isArray(nodes)) super.remove([...this.ids()].slice(0, 1));
          throw error;
        }
      }
    }
    expect(await found(with_("MemoryIndex", Careless as never))).toMatch(
      /^MemoryIndex.upsert is refused, and has changed/,
    );
  });
});
