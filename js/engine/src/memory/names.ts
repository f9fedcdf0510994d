// Maps names to the module's codes. Each name crosses once.

import { requireShort } from "../arguments.ts";
import { NousError, show } from "../errors.ts";
import { NOBODY } from "../generated/layout.ts";
import type { Glue } from "../instance.ts";
import type { ScratchView } from "../scratch-view.ts";

/** The module's memory of one agent. @internal */
export type ResidentMemory = NonNullable<ReturnType<Glue["ResidentMemory"]["create"]>>;

/** The scratch of a memory. @internal */
export type MemoryScratch = ScratchView<ResidentMemory>;

/** Names up to this many units need no asking for room. */
const SHORT = 1024;

/** @internal */
export class Names {
  readonly #resident: MemoryScratch;
  readonly #kind: number;
  readonly #codes = new Map<string, number>();
  readonly #texts: string[] = [];
  /** Names whose codes no node or edge has yet, and the count of names before them. */
  readonly #fresh: string[] = [];
  #before = 0;

  constructor(resident: MemoryScratch, kind: number) {
    this.#resident = resident;
    this.#kind = kind;
  }

  /** The code of a name, a new one if it has none. */
  code(name: string): number {
    return this.#codes.get(name) ?? this.#give(name);
  }

  /**
   * Text crosses through the module's memory, in up to three bytes a unit, and is copied there.
   */
  #checkRoom(name: string): void {
    if (name.length > SHORT && !this.#resident.module.affords(name.length * 6))
      throw this.#resident.refusal();
  }

  #give(name: string): number {
    this.#checkRoom(name);
    const { module } = this.#resident;
    if (this.#fresh.length === 0) this.#before = module.count_names(this.#kind);
    const code = module.name(this.#kind, name);
    if (code < 0) throw this.#resident.refusal();
    this.#codes.set(name, code);
    this.#fresh.push(name);
    return code;
  }

  /** Marks the new codes as used by nodes or edges. */
  keep(): void {
    this.#fresh.length = 0;
  }

  /** Forgets the new codes. */
  forget(): void {
    if (this.#fresh.length === 0) return;
    for (const name of this.#fresh)
      if (this.#codes.get(name)! >= this.#before) this.#codes.delete(name);
    this.#fresh.length = 0;
    if (!this.#resident.instance.dead)
      this.#resident.module.truncate_names(this.#kind, this.#before);
  }

  /** The code of a name, or `NOBODY` if it has none. */
  known(name: string): number {
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    this.#checkRoom(name);
    const code = this.#resident.module.code(this.#kind, name);
    if (code < 0) return NOBODY;
    this.#codes.set(name, code);
    return code;
  }

  /** The name of a code. */
  text(code: number): string {
    this.#texts[code] ??= this.#resident.module.text_of(this.#kind, code);
    return this.#texts[code]!;
  }
}

/**
 * Runs a function that gives names codes and uses them. If it throws, the new names are forgotten.
 * @internal
 */
export function naming<T>(names: readonly Names[], use: () => T): T {
  try {
    const used = use();
    for (const each of names) each.keep();
    return used;
  } catch (error) {
    for (const each of names) each.forget();
    throw error;
  }
}

/** The names of a list, checked. @internal */
export function textsOf(field: string, list: unknown): readonly string[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw invalidList(field, show(list));
  requireShort(field, list);
  const texts = [...list];
  const odd = texts.findIndex((text) => typeof text !== "string");
  if (odd >= 0) throw invalidList(field, `${show(texts[odd])} at ${odd}`);
  return texts;
}

const invalidList = (field: string, found: string) =>
  new NousError("invalid_argument", `${field} must be a list of strings, found ${found}`, {
    field,
  });
