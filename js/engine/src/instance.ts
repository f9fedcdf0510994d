// One instance of the module: its memory, its glue, and whether it can still be used.
//
// An instance cannot go on after a trap, and wasm-bindgen's glue has state of its own. So each
// instance has its own glue, and a guard around every export: anything thrown across a wasm frame
// ends that instance and no other.

import { NousError } from "./errors.ts";
import { createGlue } from "./generated/glue.js";

/** @internal */
export type Glue = ReturnType<typeof createGlue>;

/** @internal */
export interface Instance {
  readonly glue: Glue;
  readonly memory: WebAssembly.Memory;
  /** True while a call uses the scratch. A nested call takes another instance then. */
  busy: boolean;
  /** True after a trap, or if the memory has grown too large to keep. */
  dead: boolean;
}

type AnyFunction = (...args: number[]) => unknown;

/** Makes the glue of one instance. */
type CreateGlue = typeof createGlue;

/** Creates an instance of a compiled module. Takes about a tenth of a millisecond. @internal */
export function instantiate(
  module: WebAssembly.Module,
  makeGlue: CreateGlue = createGlue,
): Instance {
  const glue = makeGlue();
  const imports = glue as unknown as WebAssembly.ModuleImports;
  const { exports } = new WebAssembly.Instance(module, { "./nous_wasm_bg.js": imports });
  const instance: Instance = {
    glue,
    memory: exports.memory as WebAssembly.Memory,
    busy: false,
    dead: false,
  };
  const guarded: WebAssembly.Exports = {};
  for (const [name, value] of Object.entries(exports)) {
    guarded[name] =
      typeof value === "function" ? guard(instance, name, value as AnyFunction, exports) : value;
  }
  glue.__wbg_set_wasm(guarded);
  (guarded.__wbindgen_start as AnyFunction)();
  return instance;
}

/**
 * Returns the same function with a guard: it ends the instance if it throws, and refuses to run
 * after the instance has ended.
 */
function guard(
  instance: Instance,
  name: string,
  call: AnyFunction,
  exports: WebAssembly.Exports,
): AnyFunction {
  // Bookkeeping of the glue. A finalizer may call it at any time, so it also runs in an instance
  // that has ended.
  if (
    name.startsWith("__externref") ||
    (name.startsWith("__wbindgen") && name !== "__wbindgen_start")
  ) {
    return (...args) => {
      try {
        return call(...args);
      } catch (cause) {
        instance.dead = true;
        throw cause;
      }
    };
  }
  if (name.startsWith("__wbg_")) return (...args) => (instance.dead ? undefined : call(...args));

  // The caller of this has marked the instance as dead. The stack may be too full for another call.
  const ended = (cause: unknown, wasDead: boolean, ...args: unknown[]): unknown => {
    // Arguments become numbers before the module runs. An argument that throws then has done no
    // harm, unless it made a call that did.
    if (
      name !== "engine_create" &&
      !(cause instanceof WebAssembly.RuntimeError) &&
      args.some(isNoValue)
    ) {
      instance.dead = wasDead;
      return cause;
    }
    const text = panicText(exports);
    return new NousError(
      "instance_lost",
      `The engine failed${text ? `: ${text}` : "."}`,
      {},
      { cause },
    );
  };
  const check = () => {
    if (instance.dead)
      throw new NousError("instance_lost", "This instance of the engine has ended.");
  };
  // Fixed parameters where calls are frequent: a rest parameter doubles the cost of the guard.
  switch (call.length) {
    case 1:
      return (a) => {
        check();
        try {
          return call(a!);
        } catch (cause) {
          const wasDead = instance.dead;
          instance.dead = true;
          throw ended(cause, wasDead, a);
        }
      };
    case 2:
      return (a, b) => {
        check();
        try {
          return call(a!, b!);
        } catch (cause) {
          const wasDead = instance.dead;
          instance.dead = true;
          throw ended(cause, wasDead, a, b);
        }
      };
    case 3:
      return (a, b, c) => {
        check();
        try {
          return call(a!, b!, c!);
        } catch (cause) {
          const wasDead = instance.dead;
          instance.dead = true;
          throw ended(cause, wasDead, a, b, c);
        }
      };
    case 4:
      return (a, b, c, d) => {
        check();
        try {
          return call(a!, b!, c!, d!);
        } catch (cause) {
          const wasDead = instance.dead;
          instance.dead = true;
          throw ended(cause, wasDead, a, b, c, d);
        }
      };
    default:
      return (...args) => {
        check();
        try {
          return call(...args);
        } catch (cause) {
          const wasDead = instance.dead;
          instance.dead = true;
          throw ended(cause, wasDead, ...args);
        }
      };
  }
}

/** Returns whether converting a value to a number can throw. */
function isNoValue(value: unknown): boolean {
  return (
    typeof value === "bigint" ||
    typeof value === "symbol" ||
    (typeof value === "object" && value !== null)
  );
}

/** Returns the text that the module's panic hook wrote before the trap. */
function panicText(exports: WebAssembly.Exports): string {
  try {
    const [start, length] = [
      (exports.panic_at as () => number)(),
      (exports.panic_length as () => number)(),
    ];
    return new TextDecoder().decode(
      new Uint8Array((exports.memory as WebAssembly.Memory).buffer, start, length),
    );
  } catch {
    return "";
  }
}
