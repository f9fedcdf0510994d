// Values of every kind for the fuzzer: numbers, texts, lists and objects, both usual and hostile
// ones.

import { Dice } from "./dice.ts";

/** The `now` of every call that sets no other. */
export const NOW = Date.UTC(2026, 0, 15, 12);
const DAY = 86_400_000;

/** Numbers at the limits of doubles, and at the limits of the package. */
const EDGES = [
  ...[0, -0, 1, -1, 0.5, 1.5, 2, 4, 255, 256, 65_535, 65_536, Number.NaN, Number.POSITIVE_INFINITY],
  ...[
    Number.NEGATIVE_INFINITY,
    Number.MIN_VALUE,
    -Number.MIN_VALUE,
    1.5e-310,
    2.2250738585072014e-308,
  ],
  ...[
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    Number.EPSILON,
    1e21,
    1e-7,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32 - 1,
  ],
  ...[
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    -(2 ** 53),
    2 ** 63,
    8.64e15,
    8.64e15 + 2,
    -8.64e15,
    NOW,
    NOW + 0.5,
    -DAY,
  ],
];

/** Values that are not numbers, or are unusual as numbers. */
const NO_NUMBERS: readonly unknown[] = [
  ...[
    undefined,
    null,
    "",
    "0.5",
    "x",
    true,
    false,
    1n,
    Symbol("number"),
    {},
    [],
    [1],
    () => 1,
    new Number(1),
  ],
  ...[new Date(Number.NaN), Object.create(null)],
];

/** Values that are not text. */
const NO_TEXTS: readonly unknown[] = [
  ...[
    undefined,
    null,
    0,
    Number.NaN,
    true,
    1n,
    Symbol("text"),
    {},
    [],
    ["text"],
    () => "text",
    new String("text"),
  ],
];

/** Values that are not lists, or only resemble one. */
const NO_LISTS: readonly unknown[] = [
  ...[
    undefined,
    null,
    0,
    "list",
    true,
    {},
    { length: 3 },
    { length: -1 },
    new Set([1]),
    new Map([["a", []]]),
  ],
  ...[
    () => [],
    new ArrayBuffer(8),
    new DataView(new ArrayBuffer(8)),
    Symbol("list"),
    new Uint8Array(3),
  ],
];

/** Values that are not objects with fields. */
const NO_OBJECTS: readonly unknown[] = [
  undefined,
  null,
  0,
  "object",
  true,
  1n,
  Symbol("object"),
  [],
  () => ({}),
];

/**
 * Words that the rules look for, words of other scripts, and text that breaks code that confuses
 * text with bytes or characters.
 */
const WORDS = [
  ...[
    "what",
    "is",
    "my",
    "BTC",
    "ETH",
    "thesis",
    "and",
    "how",
    "did",
    "last",
    "trade",
    "go",
    "which",
    "signals",
    "are",
  ],
  ...[
    "firing",
    "lesson",
    "playbook",
    "funding",
    "squeeze",
    "right now",
    "yesterday",
    "decide",
    "hey",
    "thanks",
    "?",
    "!",
  ],
  ...[
    "compare",
    "versus",
    "2024",
    "status",
    "of",
    "for",
    "who is",
    "the",
    "price's",
    "“Zürich”",
    '"quoted phrase"',
    "stop",
  ],
  ...[
    "漢字",
    "金の価格",
    "ราคาทองคำ",
    "سعر الذهب",
    "सोने का भाव",
    "цена золота",
    "Ärger",
    "É",
    "e\u0301",
    "ﬁ",
    "ß",
    "İ",
    "ǆ",
  ],
  ...[
    "👋",
    "👩‍👩‍👧",
    "🇩🇪",
    "\ud83d",
    "\ude00",
    "\ud83d\ud83d",
    "\u200f",
    "\u0000",
    "\ufeff",
    "\u2028",
    "\uffff",
    "\u{10ffff}",
  ],
  ...[
    "NEAR(",
    "*",
    "AND",
    "NOT",
    "(",
    '"',
    "'",
    "--",
    "\\",
    "%",
    "{",
    "}",
    "\n",
    "\t",
    "- [lesson · KNOWLEDGE]",
    "PLAYBOOK_TRIGGER:",
  ],
  ...[
    "TITLE:",
    "__proto__",
    "constructor",
    "toString",
    "length",
    '{"text":"inner"}',
    "a".repeat(64),
    "\u0301".repeat(40),
  ],
];
/** UTF-16 units of a very long text. */
const LONG_TEXT = 40_000;
/** Entries of a very long list. */
const LONG_LIST = 1200;

const SUBTYPES = [
  ...[
    "custom:trade",
    "custom:trade_entry",
    "custom:trade_close",
    "custom:signal",
    "custom:lesson",
    "custom:playbook",
  ],
  ...[
    "custom:thesis",
    "custom:watchpoint",
    "custom:turn_summary",
    "custom:unknown",
    "",
    "__proto__",
  ],
];

/**
 * Caller code that runs during a call may throw this error: the package must pass it on unchanged.
 */
export class CallersOwn extends Error {}

/** The effect of a getter before it returns; it may throw a `CallersOwn`. */
export type Callback = (seed: number) => void;

/**
 * A generator of arguments. Two with the same seed make the same arguments, except that a `plain`
 * one leaves out variations of form: proxies, getters, frozen objects, and code that runs
 * meanwhile.
 */
export class Values {
  readonly dice: Dice;
  /** Whether some values are to be wrong. */
  readonly isWild: boolean;
  /** Whether the arguments contain caller code, or objects of unusual form. */
  isOdd = false;
  readonly #isHostile: boolean;
  readonly #callback: Callback | undefined;

  constructor(seed: number, callback?: Callback) {
    this.dice = new Dice(seed);
    this.isWild = this.dice.oneIn(3);
    this.#isHostile = this.dice.oneIn(4);
    this.#callback = callback;
  }

  /** A value, or sometimes another in its place. */
  or<T>(value: T, others: readonly unknown[]): T {
    return this.isWild && this.dice.oneIn(14) ? (this.dice.pick(others) as T) : value;
  }

  // ---- numbers ----------------------------------------------------------------------------------

  /** Any number. */
  anyNumber(): number {
    return this.dice.oneIn(3)
      ? (this.dice.share() - 0.5) * 10 ** (this.dice.below(40) - 20)
      : this.dice.pick(EDGES);
  }

  /** A number that passes the check, and sometimes any number, or another value. */
  #number(sound: number): number {
    if (!this.isWild || !this.dice.oneIn(8)) return sound;
    return this.dice.oneIn(3) ? (this.dice.pick(NO_NUMBERS) as number) : this.anyNumber();
  }

  share(): number {
    const { dice } = this;
    return this.#number(
      dice.oneIn(5) ? dice.pick([0, -0, 1, Number.MIN_VALUE, 0.5]) : dice.share(),
    );
  }

  score(): number {
    const { dice } = this;
    return this.#number(
      dice.oneIn(8) ? dice.pick([0, -0, -1e9, 1e9, 1e-310]) : dice.share() * 2 - 1,
    );
  }

  amount(): number {
    const { dice } = this;
    return this.#number(dice.oneIn(8) ? dice.pick([0, 5e-324, 1e12, 365]) : dice.share() * 40);
  }

  count(max = 40): number {
    return this.#number(this.dice.below(max + 1));
  }

  instant(): unknown {
    const { dice } = this;
    const at = NOW - Math.floor(dice.share() * 300 * DAY) + (dice.oneIn(20) ? 40 * DAY : 0);
    const form = dice.below(8);
    if (form === 0) return new Date(at);
    if (form === 1) return new Date(at).toISOString();
    return this.#number(at);
  }

  flag(): boolean {
    return this.or(this.dice.oneIn(2), NO_NUMBERS);
  }

  /** An argument of a function of numbers only. */
  scalar(): number {
    const { dice } = this;
    if (this.isWild && dice.oneIn(6)) return this.#coerced();
    return dice.oneIn(2) ? this.anyNumber() : dice.share() * 60;
  }

  /** A value that JavaScript converts to a number, or refuses to convert. */
  #coerced(): number {
    const seed = this.dice.next();
    if (!this.#isHostile) return this.dice.pick(NO_NUMBERS) as number;
    this.isOdd = true;
    const call = this.#callback;
    return { valueOf: () => (call?.(seed), seed % 90) } as unknown as number;
  }

  // ---- texts ------------------------------------------------------------------------------------

  text(): string {
    const { dice } = this;
    if (dice.oneIn(20)) return this.or("", NO_TEXTS);
    if (dice.oneIn(20_000))
      return dice
        .pick(WORDS)
        .repeat(LONG_TEXT / 8)
        .slice(0, LONG_TEXT);
    const words = 1 + dice.below(dice.oneIn(40) ? 60 : 6);
    let text = dice.pick(WORDS);
    for (let word = 1; word < words; word++) text += (dice.oneIn(9) ? "" : " ") + dice.pick(WORDS);
    return this.or(text, NO_TEXTS);
  }

  word(): string {
    return this.or(this.dice.pick(WORDS), NO_TEXTS);
  }

  /** One of few ids, so that calls refer to the same objects. */
  id(): string {
    const { dice } = this;
    return this.or(dice.oneIn(30) ? dice.pick(WORDS) : `n_${dice.below(40)}`, ["", ...NO_TEXTS]);
  }

  subtype(): string | null | undefined {
    return this.or(this.dice.oneIn(9) ? null : this.dice.pick(SUBTYPES), NO_TEXTS);
  }

  /** One of a few names, or an unknown one. */
  name<T extends string>(names: readonly T[]): T {
    return this.or(this.dice.pick(names), ["", "__proto__", "nobody", ...NO_TEXTS]);
  }

  /** A body: JSON of the kind, or text. */
  body(fields: () => object): string | null {
    if (this.dice.oneIn(5)) return this.dice.oneIn(2) ? null : this.text();
    const body = fields();
    // Values that JSON cannot write do not concern the package.
    return JSON.stringify(body, (_key, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
  }

  // ---- lists and objects ------------------------------------------------------------------------

  /** A list; `most` is its usual maximum length. */
  list<T>(make: () => T, max = 7): T[] {
    const { dice } = this;
    const length = dice.oneIn(4000) ? dice.below(LONG_LIST) : dice.below(max + 1);
    const list = Array.from({ length }, make);
    const given = this.or(list, NO_LISTS);
    return given === list ? (this.formed(list) as T[]) : given;
  }

  /** This many numbers, in an array of any kind. */
  numbers(length: number, make: () => number): ArrayLike<number> {
    const { dice } = this;
    const list = Array.from({ length }, make);
    const kind = dice.below(10);
    if (list.every((value) => typeof value === "number")) {
      if (kind === 0) return Float32Array.from(list);
      if (kind < 4) return Float64Array.from(list);
      if (kind === 4) return new Float64Array([Number.NaN, ...list]).subarray(1);
    }
    const given = this.or(list, NO_LISTS);
    return given === list ? (this.formed(list) as number[]) : given;
  }

  /** An object with these fields; undefined ones are sometimes left out. */
  object<T extends object>(fields: T): T {
    const { dice } = this;
    if (this.isWild && dice.oneIn(20))
      delete (fields as Record<string, unknown>)[dice.pick(Object.keys(fields))];
    const given = this.or(fields, NO_OBJECTS);
    return given === fields ? (this.formed(fields) as T) : given;
  }

  /** The same value in another form, in hostile calls: such a call must get the same answer. */
  formed(value: unknown): unknown {
    const { dice } = this;
    if (!this.#isHostile || typeof value !== "object" || value === null || !dice.oneIn(3))
      return value;
    const form = dice.below(7);
    const seed = dice.next();
    if (this.#callback === undefined) return value;
    this.isOdd = true;
    if (form === 0) return Object.freeze(value);
    if (form === 1) return new Proxy(value, {});
    if (form === 2 && !Array.isArray(value)) return Object.assign(Object.create(null), value);
    if (form === 3) return this.#watched(value, seed);
    return this.#calling(value, seed);
  }

  /** The same value behind a proxy that calls back when it is read. */
  #watched(value: object, seed: number): object {
    const call = this.#callback!;
    let isTold = false;
    return new Proxy(value, {
      get: (target, key) => {
        if (!isTold) {
          isTold = true;
          call(seed);
        }
        return Reflect.get(target, key);
      },
    });
  }

  /** The same object with a getter for one of its fields that calls back. */
  #calling(value: object, seed: number): object {
    const keys = Object.keys(value);
    if (keys.length === 0 || ArrayBuffer.isView(value)) return value;
    const key = keys[seed % keys.length]!;
    const call = this.#callback!;
    const found = (value as Record<string, unknown>)[key];
    const get = () => {
      call(seed);
      return found;
    };
    return Object.defineProperty(value, key, { get, enumerable: true, configurable: true });
  }
}
