// Names as the module's codes: each is asked for once, and kept here.

import { NousError, show } from "../errors.ts";
import type { Resident } from "./resident.ts";

/** The kinds of names, in the order of their codes. */
const KINDS = ["type", "subtype", "edgeType", "tag", "cluster"] as const;
type Kind = (typeof KINDS)[number];

/** Names up to this many units need no asking for room. */
const SHORT = 1024;
/** The code of a name that no node has. */
const NO_CODE = 0xffff_ffff;

/** @internal */
export class Names {
  readonly #resident: Resident;
  readonly #kind: number;
  readonly #codes = new Map<string, number>();
  readonly #texts: string[] = [];

  constructor(resident: Resident, kind: Kind) {
    this.#resident = resident;
    this.#kind = KINDS.indexOf(kind);
  }

  /** The code of a name, a new one where it has none. */
  code(name: string): number {
    return this.#codes.get(name) ?? this.#give(name);
  }

  /** Text crosses through the module's memory, in up to three bytes a unit and once more where it stays. */
  #checkRoom(name: string): void {
    if (name.length > SHORT && !this.#resident.module.affords(name.length * 6)) throw this.#resident.refusal();
  }

  #give(name: string): number {
    this.#checkRoom(name);
    const code = this.#resident.module.name(this.#kind, name);
    if (code < 0) throw this.#resident.refusal();
    this.#codes.set(name, code);
    return code;
  }

  /** The code of a name, or that of none. */
  known(name: string): number {
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    this.#checkRoom(name);
    const code = this.#resident.module.code(this.#kind, name);
    if (code < 0) return NO_CODE;
    this.#codes.set(name, code);
    return code;
  }

  /** The name of a code. */
  text(code: number): string {
    this.#texts[code] ??= this.#resident.module.text_of(this.#kind, code);
    return this.#texts[code]!;
  }
}

/** The names of a list, checked. @internal */
export function textsOf(field: string, list: unknown): readonly string[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw invalidList(field, show(list));
  const texts = [...list];
  const odd = texts.findIndex((text) => typeof text !== "string");
  if (odd >= 0) throw invalidList(field, `${show(texts[odd])} at ${odd}`);
  return texts;
}

const invalidList = (field: string, found: string) =>
  new NousError("invalid_argument", `${field} must be a list of strings, found ${found}`, { field });
