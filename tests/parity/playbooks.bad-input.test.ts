// Wrong outcomes, playbooks, events and matches are refused. Callers' objects stay unchanged.

import { runInNewContext } from "node:vm";
import * as nous from "nous-wasm";
import { afterEach, describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import {
  checkDefaultResults,
  defaultEvents,
  defaultPlaybooks,
  expectRefusal,
  expectSame,
  INFINITY,
  js,
  MILLIONS,
  NEGATIVE_INFINITY,
  NO_MOMENTS,
  NO_NUMBERS,
  ODD_NAMES,
  thrownBy,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("outcomes", () => {
  const record = (changes: object = {}) => ({
    success_count: 3,
    sample_size: 4,
    stability: 60,
    ...changes,
  });

  test("of a record with a wrong field are refused by its name", () => {
    const NO_COUNTS = [
      undefined,
      null,
      Number.NaN,
      INFINITY,
      -1,
      0.5,
      1e-300,
      2 ** 53,
      ...NO_NUMBERS,
    ];
    const wrong: [string, unknown[]][] = [
      ["success_count", NO_COUNTS],
      ["sample_size", NO_COUNTS],
      [
        "stability",
        [undefined, null, Number.NaN, INFINITY, NEGATIVE_INFINITY, -1, -5e-324, ...NO_NUMBERS],
      ],
      ["difficulty", [Number.NaN, INFINITY, -5e-324, 1 + Number.EPSILON, ...NO_NUMBERS]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        expectRefusal(() => js.applyOutcome(record({ [field]: value }), true, NOW), { field });
      }
    }
    for (const playbook of [undefined, null, 5, "playbook", true, [], [record()], () => record()]) {
      expectRefusal(() => js.applyOutcome(playbook, true, NOW), { field: "playbook" });
    }
  });

  test("are refused if they are not booleans, or without an instant", () => {
    for (const profitable of [undefined, null, 0, 1, "true", "", {}, new Boolean(true)]) {
      expectRefusal(() => js.applyOutcome(record(), profitable, NOW), { field: "profitable" });
    }
    for (const now of NO_MOMENTS) {
      expectRefusal(() => js.applyOutcome(record(), true, now), { field: "now" });
    }
  });

  test("of unusual records are right", () => {
    const records = [
      record({ success_count: 11, sample_size: 4 }),
      record({ success_count: -0, sample_size: 0, stability: 0 }),
      record({ stability: Number.MAX_VALUE, difficulty: null }),
      record({ stability: 5e-324, difficulty: 1 }),
      Object.freeze(record({ difficulty: 0 })),
      Object.assign(Object.create(null), record()),
      runInNewContext(`(${JSON.stringify(record())})`),
    ];
    for (const odd of records) {
      for (const profitable of [true, false]) {
        expectSame(
          nous.applyOutcome(odd, profitable, NOW),
          reference.applyOutcome(odd, profitable, NOW),
        );
      }
    }
    const foreign = runInNewContext(`new Date(${NOW})`) as Date;
    expectSame(
      nous.applyOutcome(record(), true, foreign),
      reference.applyOutcome(record(), true, NOW),
    );
    const before = Date.now();
    const { last_applied } = nous.applyOutcome(record(), true);
    expect(Date.parse(last_applied)).toBeGreaterThanOrEqual(before);
  });
});

describe("playbooks", () => {
  const NO_LISTS = [
    undefined,
    null,
    5,
    "list",
    {},
    new Set(),
    new Map(),
    { length: 1, 0: {} },
    () => [],
  ];
  const NO_OBJECTS = [undefined, null, 5, "playbook", true, 1n, [], () => ({})];
  const NO_IDS = [
    undefined,
    null,
    "",
    7,
    Number.NaN,
    true,
    {},
    ["a"],
    Symbol("id"),
    1n,
    new String("a"),
  ];
  const EVENT = { type: "surge", symbol: "BTC", severity: 1 };
  const ONE = { var: "price", op: ">", value: 0 } as const;
  const called = (id: string, trigger: object = {}) => ({
    id,
    trigger: { anomaly_types: ["surge"], ...trigger },
  });

  /** A book with these playbooks. */
  function bookOf(...playbooks: (nous.Playbook | nous.PlaybookRow)[]): nous.PlaybookBook {
    const book = new nous.PlaybookBook();
    book.add(playbooks);
    return book;
  }

  const idsOf = (
    book: nous.PlaybookBook,
    events: nous.AnomalyEvent[] = [EVENT],
    snapshot?: nous.MarketSnapshot,
  ) => book.match(events, snapshot).matches.map(({ id }) => id);

  // It outlives every test, but no test depends on another's use of it.
  const kept = bookOf(...defaultPlaybooks);
  afterEach(() =>
    expectSame(
      kept.match(defaultEvents).matches,
      reference.matchPlaybooks(defaultPlaybooks, defaultEvents),
    ),
  );

  /** Each list of playbooks is refused whole, by a book and without one. */
  function expectNothingAdded(playbooks: unknown, details: nous.NousErrorDetails): void {
    const book = bookOf(called("a"), called("b"));
    expectRefusal(() => book.add(playbooks as nous.Playbook[]), details);
    expect([book.size, book.problems, idsOf(book)]).toEqual([2, [], ["a", "b"]]);
    expectRefusal(() => js.matchPlaybooks(playbooks, [EVENT]), details);
  }

  test("and events, ids and matches that are not lists are refused", () => {
    for (const wrong of NO_LISTS) {
      expectNothingAdded(wrong, { field: "playbooks" });
      expectRefusal(() => js.matchPlaybooks(defaultPlaybooks, wrong), { field: "events" });
      expectRefusal(() => kept.match(wrong as never), { field: "events" });
      expectRefusal(() => kept.remove(wrong as never), { field: "ids" });
      expectRefusal(() => js.formatPlaybookMatches(wrong), { field: "matches" });
    }
    expect(js.matchPlaybooks([], [])).toEqual([]);
    expect(js.formatPlaybookMatches([])).toBe("");
  });

  test("are refused by place if they are not objects or have no id, and then none is added", () => {
    for (const wrong of NO_OBJECTS)
      expectNothingAdded([called("c"), wrong], { field: "playbooks", index: 1 });
    for (const id of NO_IDS)
      expectNothingAdded([called("a"), { ...called("c"), id }], { field: "id", index: 1 });
    const holes = new Array(3);
    holes[0] = called("c");
    expectNothingAdded(holes, { field: "playbooks", index: 1 });
  });

  test("are removed by ids, all or none", () => {
    for (const id of NO_IDS) {
      const book = bookOf(called("a"), called("b"));
      const { field, index } = (thrownBy(() => book.remove(["a", id as string])) as nous.NousError)
        .details;
      expect([field, index]).toEqual([expect.stringMatching(/^ids?$/), 1]);
      expect(idsOf(book)).toEqual(["a", "b"]);
    }
    const book = bookOf(called("a"));
    book.remove(["nobody", "a", "a", ...ODD_NAMES]);
    expect([book.size, idsOf(book)]).toEqual([0, []]);
  });

  test("are triggered by valid events; others are refused by place", () => {
    const wrong: [string, unknown[]][] = [
      ["type", [undefined, null, 5, true, {}, ["surge"], Symbol("type"), new String("surge")]],
      ["symbol", [5, Number.NaN, true, {}, ["BTC"], Symbol("symbol"), new String("BTC")]],
      ["severity", [undefined, null, Number.NaN, INFINITY, NEGATIVE_INFINITY, ...NO_NUMBERS]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        const events = [EVENT, { ...EVENT, [field]: value }] as nous.AnomalyEvent[];
        expectRefusal(() => kept.match(events), { field, index: 1 });
        expectRefusal(() => nous.matchPlaybooks(defaultPlaybooks, events), { field, index: 1 });
      }
    }
    for (const value of NO_OBJECTS) {
      expectRefusal(() => kept.match([EVENT, value as never]), { field: "events", index: 1 });
    }
    expectRefusal(() => kept.match(new Array(2)), { field: "events", index: 0 });
  });

  test("are evaluated on a market of numbers; others are refused by their variable", () => {
    for (const wrong of [null, 5, "market", true, [], [1], 1n, Symbol("market"), () => ({})]) {
      expectRefusal(() => kept.match([EVENT], wrong as never), { field: "snapshot" });
    }
    for (const name of ["price", "größe", "", ...ODD_NAMES]) {
      const book = bookOf(called("a", { conditions: { ...ONE, var: name } }));
      for (const value of [
        Number.NaN,
        INFINITY,
        "1",
        true,
        1n,
        {},
        Symbol("price"),
        new Number(1),
        () => 1,
      ]) {
        for (const given of [value, [1, value], [value, 1]]) {
          const market = Object.fromEntries([[name, given]]) as never;
          expectRefusal(() => book.match([EVENT], market), { field: `snapshot.${name}` });
        }
      }
      const holes = Object.fromEntries([[name, new Array(2)]]);
      expectRefusal(() => book.match([EVENT], holes), { field: `snapshot.${name}` });
      expect(book.match([EVENT], { other: 1 }).missing).toEqual([{ id: "a", var: name }]);
      expect(idsOf(book, [EVENT], Object.fromEntries([[name, 1]]))).toEqual(["a"]);
    }
  });

  test("with equal ids count once: the last one, in its own place", () => {
    const book = bookOf(called("a"), called("b"), { ...called("a"), title: "later" }, called("a"));
    expect([book.size, idsOf(book)]).toEqual([2, ["b", "a"]]);
    book.add([called("b", { anomaly_types: 7 })]);
    expect([book.size, idsOf(book), book.problems]).toEqual([
      2,
      ["a"],
      [{ id: "b", reason: "malformed_trigger" }],
    ]);
    book.add([called("b")]);
    expect([book.size, idsOf(book), book.problems]).toEqual([2, ["a", "b"], []]);
  });

  test("are distinct if ids, kinds, symbols or variables differ in a lone surrogate only", () => {
    const byId = bookOf(...ODD_NAMES.map((id) => called(id)));
    expect(idsOf(byId)).toEqual(ODD_NAMES);
    byId.remove(["\ud83d"]);
    expect(idsOf(byId)).toEqual(ODD_NAMES.filter((id) => id !== "\ud83d"));

    const byKind = bookOf(...ODD_NAMES.map((kind) => called(kind, { anomaly_types: [kind] })));
    const bySymbol = bookOf(...ODD_NAMES.map((symbol) => called(symbol, { symbols: [symbol] })));
    const byVariable = bookOf(
      ...ODD_NAMES.map((name) => called(name, { conditions: { var: name, op: "=", value: 1 } })),
    );
    for (const name of ODD_NAMES) {
      expect(idsOf(byKind, [{ ...EVENT, type: name }])).toEqual([name]);
      expect(idsOf(bySymbol, [{ ...EVENT, symbol: name }])).toEqual([name]);
      const others = ODD_NAMES.filter((other) => other !== name);
      const { matches, missing } = byVariable.match([EVENT], Object.fromEntries([[name, 1]]));
      expect(matches.map(({ id }) => id)).toEqual([name]);
      expect(missing).toEqual(others.map((other) => ({ id: other, var: other })));
    }
  });

  test("may have names and texts of millions of characters", () => {
    const long = "Aé".repeat(MILLIONS / 2);
    const playbook = {
      ...{ id: long, title: long, action: long, direction: long },
      trigger: {
        anomaly_types: [long],
        symbols: [long],
        conditions: { var: long, op: ">", value: 0 } as const,
      },
    };
    const { id, ...fields } = playbook;
    const stored = { id: "stored", content_title: long, content_body: JSON.stringify(fields) };
    const book = bookOf(playbook, stored);
    const event = { type: long, symbol: long.toUpperCase(), severity: 1 };
    // Beyond ASCII, case counts.
    expect(idsOf(book, [event], { [long]: 1 })).toEqual([]);
    event.symbol = "aé".repeat(MILLIONS / 2);
    const { matches } = book.match([event], { [long]: 1 });
    expect(matches.map(({ id }) => id === long || id)).toEqual([true, "stored"]);
    expect(nous.formatPlaybookMatches(matches) === reference.formatPlaybookMatches(matches)).toBe(
      true,
    );
    expect(book.match([event]).missing.map((missing) => missing.var === long)).toEqual([
      true,
      true,
    ]);
  });

  test("may have as many kinds and symbols as a trigger allows, but not more, and not a hundred thousand values", () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `N${i}`);
    const max = names.slice(0, reference.MAX_PAIRS);
    const [few, many] = [names.slice(0, 8), names.slice(0, reference.MAX_PAIRS / 8)];
    const book = bookOf(
      called("kinds", { anomaly_types: [...max, ...max] }),
      called("symbols", { symbols: [...max, ...max.map((name) => name.toLowerCase())] }),
      called("pairs", { anomaly_types: many, symbols: few }),
      called("too many kinds", { anomaly_types: names }),
      called("too many symbols", { symbols: names }),
      called("too many pairs", { anomaly_types: names.slice(0, many.length + 1), symbols: few }),
      called("far too many pairs", { anomaly_types: names, symbols: names }),
    );
    expect(book.problems.map(({ id, reason }) => [id, reason])).toEqual([
      ["too many kinds", "trigger_too_large"],
      ["too many symbols", "trigger_too_large"],
      ["too many pairs", "trigger_too_large"],
      ["far too many pairs", "trigger_too_large"],
    ]);
    expect(idsOf(book, [{ type: max.at(-1)!, severity: 0 }])).toEqual(["kinds"]);
    expect(idsOf(book, [{ ...EVENT, symbol: max.at(-1)!.toLowerCase() }])).toEqual(["symbols"]);
    expect(idsOf(book, [{ type: many.at(-1)!, symbol: "n7", severity: 1 }])).toEqual([
      "kinds",
      "pairs",
    ]);
    book.remove(["kinds", "symbols"]);
    expect(idsOf(book, [EVENT, { type: "N0", severity: 1 }])).toEqual([]);

    const series = bookOf(
      called("series", { conditions: { var: "oi", op: "rising", window: names.length } }),
    );
    expect(idsOf(series, [EVENT], { oi: names.map((_, i) => i) })).toEqual(["series"]);
    expect(idsOf(series, [EVENT], { oi: names.map((_, i) => (i === 5 ? 0 : i)) })).toEqual([]);
  });

  test("with endless conditions are set aside", () => {
    const body = (levels: number) => {
      const [open, close] = ['{"not":'.repeat(levels), "}".repeat(levels)];
      return `{"trigger":{"anomaly_types":["surge"],"conditions":${open}${JSON.stringify(ONE)}${close}}}`;
    };
    const row = (id: string, levels: number) => ({ id, content_body: body(levels) });
    const endless: unknown = new Proxy(
      {},
      { get: (_, key) => (key === "not" ? endless : undefined) },
    );
    const widening: unknown = new Proxy(
      {},
      { get: (_, key) => (key === "any" ? [widening, widening] : undefined) },
    );
    const growing: unknown[] = [];
    const again = {
      get var() {
        growing.push(again);
        return "price";
      },
      op: ">",
      value: 0,
    };
    growing.push(again);
    const circular: Record<string, unknown> = { anomaly_types: ["surge"] };
    circular.conditions = { not: circular };
    const book = bookOf(
      ...[
        row("30", 30),
        row("31", 31),
        row("32", 32),
        row("10,000", 10_000),
        row("a million", 1_000_000),
      ],
      ...[called("endless", { conditions: endless }), called("widening", { conditions: widening })],
      called("growing", { conditions: { all: growing } }),
      { id: "circular", trigger: circular },
    );
    const deep = ["32", "10,000", "a million", "endless", "widening"];
    expect(book.problems).toEqual([
      ...deep.map((id) => ({ id, reason: "condition_too_deep" })),
      { id: "circular", reason: "malformed_condition" },
    ]);
    // An object that grows while it is read counts as it was before.
    expect(idsOf(book, [EVENT], { price: 1 })).toEqual(["30", "growing"]);
    expect(idsOf(book, [EVENT], { price: -1 })).toEqual(["31"]);
  });

  test("may be frozen, of another realm, without a prototype, and with more successes than samples", () => {
    const playbook = {
      ...called("a", { symbols: ["btc"], conditions: { all: [ONE] } }),
      action: "Fade it.",
    };
    const forms: nous.Playbook[] = [
      Object.freeze({ ...playbook, trigger: Object.freeze(playbook.trigger) }),
      runInNewContext(`(${JSON.stringify(playbook)})`),
      Object.assign(Object.create(null), playbook),
      Object.create(playbook),
      new Proxy(playbook, {}),
    ];
    const market: nous.MarketSnapshot = runInNewContext("({ price: [0, 1] })");
    const events = runInNewContext(`([${JSON.stringify(EVENT)}])`) as nous.AnomalyEvent[];
    for (const form of forms) {
      const plain = new reference.PlaybookBook();
      plain.add([playbook]);
      expectSame(
        bookOf(form).match(Object.freeze(events), Object.freeze(market)),
        plain.match([EVENT], { price: 1 }),
      );
    }
    const lucky = [{ ...called("a"), success_count: 11, sample_size: 3 }];
    const matches = nous.matchPlaybooks(lucky, [EVENT]);
    expectSame(matches, reference.matchPlaybooks(lucky, [EVENT]));
    expect(nous.formatPlaybookMatches(matches)).toBe(reference.formatPlaybookMatches(matches));
  });

  test("with a throwing getter raise its own exception, and nothing is added", () => {
    const own = new RangeError("from a getter");
    const throwing = <T extends object>(target: T, field: string): T =>
      Object.defineProperty({ ...target }, field, {
        get: () => {
          throw own;
        },
        enumerable: true,
      });
    const trigger = {
      anomaly_types: ["surge"],
      symbols: ["BTC"],
      min_severity: 0,
      conditions: ONE,
    };
    const playbook = {
      id: "c",
      title: "t",
      action: "a",
      direction: "long",
      success_count: 1,
      sample_size: 2,
      trigger,
    };
    const wrong = [
      ...Object.keys(playbook).map((field) => throwing(playbook, field)),
      ...Object.keys(trigger).map((field) => ({ ...playbook, trigger: throwing(trigger, field) })),
      ...Object.keys(ONE).map((field) =>
        called("c", { conditions: { all: [ONE, throwing(ONE, field)] } }),
      ),
      throwing({ id: "c", content_title: "t", content_body: "{}" }, "content_body"),
    ];
    const book = bookOf(called("a"), called("b"));
    for (const one of wrong) {
      expect(thrownBy(() => book.add([called("a", { symbols: ["none"] }), one]))).toBe(own);
      expect(thrownBy(() => nous.matchPlaybooks([one], [EVENT]))).toBe(own);
      expect([book.size, book.problems, idsOf(book)]).toEqual([2, [], ["a", "b"]]);
    }
    for (const field of Object.keys(EVENT)) {
      expect(thrownBy(() => book.match([EVENT, throwing(EVENT, field)]))).toBe(own);
      expect(thrownBy(() => nous.matchPlaybooks([called("a")], [throwing(EVENT, field)]))).toBe(
        own,
      );
    }
    book.add([called("c", { conditions: ONE })]);
    expect(thrownBy(() => book.match([EVENT], throwing({}, "price")))).toBe(own);
    const [match] = book.match([EVENT]).matches;
    for (const field of Object.keys(match!)) {
      if (field === "severity" || field === "relevance") continue;
      expect(thrownBy(() => nous.formatPlaybookMatches([match!, throwing(match!, field)]))).toBe(
        own,
      );
    }
  });

  test("whose kinds grow while they are read get no unnamed kinds", () => {
    const other = called("other", { anomaly_types: ["drop"] });
    const drop = { ...EVENT, type: "drop" };
    const kinds = ["surge"];
    const longer = {
      anomaly_types: kinds,
      get conditions() {
        kinds.length = 2;
        return null;
      },
    };
    expect(idsOf(bookOf(other, { id: "longer", trigger: longer }), [drop])).toEqual(["other"]);
  });

  test("whose conditions shrink while they are read keep their shape", () => {
    // No part of `any` holds, with or without the second part.
    const parts: object[] = [
      { op: "<", value: 0 },
      { ...ONE, op: "<" },
    ];
    Object.defineProperty(parts[0], "var", {
      get: () => {
        parts.length = 1;
        return "price";
      },
    });
    const shorter = bookOf(called("shorter", { conditions: { all: [{ any: parts }, ONE] } }));
    expect(idsOf(shorter, [EVENT], { price: 1 })).toEqual([]);
  });

  test("added while a market is read are matched from the next time on, or completely", () => {
    const book = bookOf(called("a", { conditions: ONE }));
    const market = {
      get price() {
        book.add([called("b", { conditions: { ...ONE, var: "later" } })]);
        return 1;
      },
    };
    const { matches, missing } = book.match([EVENT], market);
    expect(matches.map(({ id }) => id)).toEqual(["a"]);
    for (const each of missing) expect(each).toEqual({ id: "b", var: "later" });
    expect(book.match([EVENT], { price: 1 }).missing).toEqual([{ id: "b", var: "later" }]);
  });

  test("in wrong matches are refused by place, id and field", () => {
    const [match] = nous.matchPlaybooks([called("a")], [EVENT]);
    const NO_TEXTS = [undefined, null, 5, true, {}, ["text"], 1n, Symbol("text")];
    const NOT_FINITE = [undefined, null, Number.NaN, INFINITY, ...NO_NUMBERS];
    const wrong: [string, unknown[]][] = [
      ...["title", "action", "direction", "type"].map((field): [string, unknown[]] => [
        field,
        NO_TEXTS,
      ]),
      ["symbol", NO_TEXTS.filter((value) => value != null)],
      ["success_rate", NOT_FINITE],
      ["success_count", NOT_FINITE],
      ["sample_size", NOT_FINITE],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        const matches = [match, { ...match, sample_size: 1, [field]: value }];
        expectRefusal(() => js.formatPlaybookMatches(matches), { field, index: 1, id: "a" });
      }
    }
    for (const id of NO_TEXTS) {
      expectRefusal(() => js.formatPlaybookMatches([match, { ...match, id }]), {
        field: "id",
        index: 1,
      });
    }
    for (const value of NO_OBJECTS) {
      expectRefusal(() => js.formatPlaybookMatches([match, value]), { field: "matches", index: 1 });
    }
    expectRefusal(() => js.formatPlaybookMatches(new Array(1)), { field: "matches", index: 0 });
  });
});
