// The compiled module of this process and the instances that serve stateless calls.

import { NousError } from "./errors.ts";
import { MOST_SCRATCH } from "./generated/layout.ts";
import { type Glue, type Instance, instantiate } from "./instance.ts";
import { refusal } from "./refusal.ts";
import { ScratchView } from "./scratch-view.ts";

// A project for Node need not have the types of the web, so the declarations name none of them.

/** A `Response`, as much of it as loading reads. */
export interface ModuleResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * The bytes of a .wasm, or the `WebAssembly.Module` that they were compiled to: an object, as far
 * as types know.
 */
export type ModuleBytes = ArrayBuffer | ArrayBufferView | object;

/**
 * What a module can be loaded from: its bytes, compiled or not, a `Response` that holds them, or a
 * URL.
 */
export type ModuleSource =
  | ModuleBytes
  | ModuleResponse
  | { readonly href: string }
  | string
  | PromiseLike<ModuleBytes | ModuleResponse>;

let compiled: WebAssembly.Module | undefined;
let instances: Instance[] = [];

/** Whether the module is loaded. @internal */
export function isLoaded(): boolean {
  return compiled !== undefined;
}

/**
 * Throws before the module is loaded; for functions that would answer without asking it. @internal
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
 * @throws {NousError} `unsupported` when this environment cannot run it.
 */
export function initSync(source: ModuleBytes): void {
  if (compiled) return;
  try {
    const module =
      source instanceof WebAssembly.Module
        ? source
        : new WebAssembly.Module(source as BufferSource);
    // The first instance shows whether this is the module it should be.
    instances = [instantiate(module)];
    compiled = module;
  } catch (cause) {
    throw cannotLoad(cause);
  }
}

/**
 * Loads the module from wherever it comes; a `Response` is compiled while it streams in. @internal
 */
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
  // A server that does not say application/wasm forbids streaming, but its bytes are as good.
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

/** Whether a function that makes one vector of zeros is valid here. */
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

/** A new instance that no other call uses, for data that stays in its memory. @internal */
export function ownInstance(): Instance {
  requireLoaded();
  return instantiate(compiled!);
}

/** The compiled module, for handing it to a worker. @internal */
export function compiledModule(): WebAssembly.Module {
  requireLoaded();
  return compiled!;
}

/** Glue for calls of numbers alone, which cannot nest. @internal */
export function numeric(): Glue {
  const first = instances[0];
  return first !== undefined && !first.dead ? first.glue : free().glue;
}

/**
 * Glue for calls that take memory, which must not move under a call that is filling its scratch.
 * @internal
 */
export function idle(): Glue {
  return free().glue;
}

function free(): Instance {
  return instances.find(({ busy, dead }) => !busy && !dead) ?? newInstance();
}

/** What a configuration is when the module reads it. @internal */
export type PlainData =
  | null
  | boolean
  | number
  | string
  | PlainData[]
  | { [key: string]: PlainData };

type Engine = NonNullable<ReturnType<Glue["Engine"]["create"]>>;

/** A configured engine on one instance, with views over its scratch. @internal */
export class EngineLease extends ScratchView<Engine> {
  readonly engine: Engine;

  constructor(instance: Instance, config: PlainData | undefined) {
    const engine = instance.glue.Engine.create(config);
    if (engine === undefined) throw refusal(instance.glue);
    super(instance, engine);
    this.engine = engine;
  }
}

/** Engines of one configuration, wherever they are needed. @internal */
export class EnginePool {
  #last: EngineLease | undefined;
  readonly #leases = new WeakMap<Instance, EngineLease>();

  constructor(readonly config: PlainData | undefined) {}

  /** An engine that nothing else uses until it is given back. */
  acquire(): EngineLease {
    const last = this.#last;
    const lease =
      last !== undefined && !last.instance.busy && !last.instance.dead ? last : this.#find();
    lease.instance.busy = true;
    return lease;
  }

  /**
   * Ends the use of an engine, however its work ended. An instance with large scratch is given up,
   * since the memory of an instance never shrinks.
   */
  release(lease: EngineLease): void {
    lease.instance.busy = false;
    if (lease.size > MOST_SCRATCH) lease.instance.dead = true;
  }

  /** An engine for a call of numbers alone. */
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
