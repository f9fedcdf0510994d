// The compiled module of this process, and the pool of instances for stateless calls.

import { NousError } from "./errors.ts";
import { MAX_SCRATCH } from "./generated/layout.ts";
import { type Glue, type Instance, instantiate } from "./instance.ts";
import { refusal } from "./refusal.ts";
import { ScratchView } from "./scratch-view.ts";

// The declarations name no types of the web, because a project for Node may not have them.

/** The part of a `Response` that loading reads. */
export interface ModuleResponse {
  /** Whether the status is in the range 200–299. */
  readonly ok: boolean;
  /** HTTP status. */
  readonly status: number;
  /** URL of the response. */
  readonly url: string;
  /** Returns the body. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * The bytes of the .wasm, or a `WebAssembly.Module`. The type of the latter may be unknown, so it
 * is an object here.
 */
export type ModuleBytes = ArrayBuffer | ArrayBufferView | object;

/**
 * A source to load the module from: its bytes, compiled or not, a `Response` that holds them, or a
 * URL.
 */
export type ModuleSource =
  | ModuleBytes
  | ModuleResponse
  | {
      /** The URL, as in a `URL` object. */
      readonly href: string;
    }
  | string
  | PromiseLike<ModuleBytes | ModuleResponse>;

let compiled: WebAssembly.Module | undefined;
let instances: Instance[] = [];

/** Returns whether the module is loaded. @internal */
export function isLoaded(): boolean {
  return compiled !== undefined;
}

/**
 * Throws `not_initialized` if the module is not loaded. For functions that may return without
 * calling the module. @internal
 */
export function requireLoaded(): void {
  if (!compiled)
    throw new NousError(
      "not_initialized",
      "The module is not loaded yet: `await init()` before the first call.",
    );
}

/**
 * Loads the module from its bytes, or from a compiled module, synchronously. Does nothing if a
 * module is loaded.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 *
 * initSync(readFileSync("node_modules/nous-wasm/dist/nous_wasm.wasm"));
 * ```
 *
 * @throws {NousError} `unsupported` if this environment cannot run the module.
 */
export function initSync(source: ModuleBytes): void {
  if (compiled) return;
  try {
    const module =
      source instanceof WebAssembly.Module
        ? source
        : new WebAssembly.Module(source as BufferSource);
    // The first instance shows whether the module is one of this package.
    instances = [instantiate(module)];
    compiled = module;
  } catch (cause) {
    throw cannotLoad(cause);
  }
}

/** Loads the module from any source. A `Response` is compiled while it arrives. @internal */
export async function load(source: ModuleSource): Promise<void> {
  if (compiled) return;
  let from = await source;
  if (typeof from === "string" || from instanceof URL) from = await fetchFrom(from);
  if (typeof Response === "undefined" || !(from instanceof Response)) {
    initSync(from as ModuleBytes);
    return;
  }
  if (!from.ok)
    throw new NousError(
      "unsupported",
      `The module could not be fetched: ${from.url} answered ${from.status}.`,
    );
  // Streaming needs the content type application/wasm. Without it the bytes are read first.
  const streams = from.headers.get("content-type")?.startsWith("application/wasm");
  try {
    initSync(
      await (streams
        ? WebAssembly.compileStreaming(from)
        : WebAssembly.compile(await from.arrayBuffer())),
    );
  } catch (cause) {
    throw cannotLoad(cause);
  }
}

async function fetchFrom(url: string | URL): Promise<Response> {
  try {
    return await fetch(url);
  } catch (cause) {
    throw new NousError(
      "unsupported",
      `The module could not be fetched from ${url}.`,
      {},
      { cause },
    );
  }
}

function cannotLoad(cause: unknown): NousError {
  if (cause instanceof NousError) return cause;
  const reason = supportsSimd()
    ? "The module could not be loaded: its bytes are not those of this package, or a policy forbids it (a page's CSP needs 'wasm-unsafe-eval')."
    : "The engine needs WebAssembly with 128-bit SIMD, which this environment does not have (Node 16.4, Chrome 91, Firefox 89, Safari 16.4 and later do).";
  return new NousError("unsupported", reason, {}, { cause });
}

/** Returns whether this environment accepts a function that makes one vector of zeros. */
function supportsSimd(): boolean {
  const probe = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253,
    15, 253, 98, 11,
  ];
  return typeof WebAssembly === "object" && WebAssembly.validate(new Uint8Array(probe));
}

function newInstance(): Instance {
  requireLoaded();
  const instance = instantiate(compiled!);
  instances = instances.filter(({ dead }) => !dead);
  instances.push(instance);
  return instance;
}

/** Creates an instance that no other call uses, for data that stays in its memory. @internal */
export function ownInstance(): Instance {
  requireLoaded();
  return instantiate(compiled!);
}

/** Returns glue for calls that pass only numbers, which cannot nest. @internal */
export function numeric(): Glue {
  const first = instances[0];
  return first !== undefined && !first.dead ? first.glue : free().glue;
}

/**
 * Returns glue for calls that allocate memory. No other call may be filling its scratch in that
 * instance, because memory growth moves the scratch. @internal
 */
export function idle(): Glue {
  return free().glue;
}

function free(): Instance {
  return instances.find(({ busy, dead }) => !busy && !dead) ?? newInstance();
}

/** A configuration as the module reads it. @internal */
export type PlainData =
  | null
  | boolean
  | number
  | string
  | PlainData[]
  | { [key: string]: PlainData };

type Engine = NonNullable<ReturnType<Glue["Engine"]["create"]>>;

/** A configured engine on one instance, with views of its scratch. @internal */
export class EngineLease extends ScratchView<Engine> {
  readonly engine: Engine;

  constructor(instance: Instance, config: PlainData | undefined) {
    const engine = instance.glue.Engine.create(config);
    if (engine === undefined) throw refusal(instance.glue);
    super(instance, engine);
    this.engine = engine;
  }
}

/** The pool of the engines of one configuration. @internal */
export class EnginePool {
  #last: EngineLease | undefined;
  readonly #leases = new WeakMap<Instance, EngineLease>();

  constructor(readonly config: PlainData | undefined) {}

  /** Returns an engine for exclusive use until `release`. */
  acquire(): EngineLease {
    const last = this.#last;
    const lease =
      last !== undefined && !last.instance.busy && !last.instance.dead ? last : this.#find();
    lease.instance.busy = true;
    return lease;
  }

  /**
   * Ends the use of an engine, also after an error. An instance with a large scratch is discarded,
   * because the memory of an instance never shrinks.
   */
  release(lease: EngineLease): void {
    lease.instance.busy = false;
    if (lease.size > MAX_SCRATCH) lease.instance.dead = true;
  }

  /** Returns an engine for a call that passes only numbers. */
  engine(): EngineLease["engine"] {
    const last = this.#last;
    return (last !== undefined && !last.instance.dead ? last : this.#find()).engine;
  }

  #find(): EngineLease {
    const instance = free();
    let lease = this.#leases.get(instance);
    if (lease === undefined) {
      lease = new EngineLease(instance, this.config);
      this.#leases.set(instance, lease);
    }
    this.#last = lease;
    return lease;
  }
}
