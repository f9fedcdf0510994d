// Getters, conversions and proxies of the caller run during a call: they change no answer, and
// their exceptions reach the caller.

import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import {
  byDefault,
  checkDefaultResults,
  DAY,
  defaultMetrics,
  EXPECTED,
  expectRefusal,
  expectSame,
  js,
  metrics,
  node,
  ours,
  QUERY,
  results,
  thrownBy,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("caller code that runs during a call", () => {
  const FIELDS = Object.keys(node());
  const trapped = (field: string, get: () => unknown) =>
    Object.defineProperty(node(), field, { get, enumerable: true });

  test.each(FIELDS)("as a throwing getter of %s: its own exception comes through", (field) => {
    const own = new RangeError("from a getter");
    const wrong = trapped(field, () => {
      throw own;
    });
    for (const batch of [[wrong], [...byDefault, wrong, ...byDefault]]) {
      expect(thrownBy(() => js.rerankWithSectionWeights(batch, metrics))).toBe(own);
      expect(thrownBy(() => js.rerankTop(batch, metrics))).toBe(own);
    }
  });

  test.each(FIELDS)("as a getter of %s that calls the package: both results are right", (field) => {
    const plain = node();
    let inner: unknown;
    const calling = trapped(field, () => {
      inner = results(ours);
      return plain[field as keyof typeof plain];
    });
    const ranking = nous.rerankWithSectionWeights([...byDefault, calling], defaultMetrics, NOW);
    const expected = nous.rerankWithSectionWeights([...byDefault, plain], defaultMetrics, NOW);
    expectSame(inner, EXPECTED);
    expectSame(
      ranking.map(({ score }) => score),
      expected.map(({ score }) => score),
    );
  });

  test("may run in merged rows, memories, columns, options and configurations", () => {
    const own = new Error("from a getter");
    const throwing = {
      get(): never {
        throw own;
      },
    };
    const trap = new Proxy({}, throwing);
    const calls = [
      () => js.mergeAndSelect([["a", [{ id: "x", score: 1 }, trap]]]),
      () => js.coRecallPairs([{ id: "x" }, trap]),
      () => js.formatContext([{}, trap]),
      () =>
        js.decayColumns({
          lastAccessed: new Proxy([1, 2], throwing),
          stability: [1, 2],
          section: [0, 0],
        }),
      () => js.decayColumns(trap),
      () => js.rerankTop([node()], trap),
      () => js.rerankTop([node()], metrics, trap),
      () => js.rerankCandidates([node()], metrics, trap),
      () => js.classifyIntent("now", trap),
      () =>
        js.createEngine({
          get sections() {
            throw own;
          },
        }),
      () => js.getDecayLifecycleStateForSection(0.5, 1, trap),
      () =>
        js.calculateRetrievability(
          {
            valueOf: () => {
              throw own;
            },
          },
          14,
        ),
    ];
    for (const call of calls) expect(thrownBy(call)).toBe(own);

    let inner: unknown[] = [];
    const calling = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (object, key) => {
          inner = results(ours);
          return Reflect.get(object, key);
        },
      });
    const nested = [
      nous.mergeAndSelect([["a", [calling({ id: "x", score: 1, subtype: "custom:lesson" })]]], {
        query: QUERY,
      }),
      nous.formatContext([calling({ content_title: "title" })]),
      nous.coRecallPairs([calling({ id: "x" }), calling({ id: "y" })]),
      nous.decayColumns({ lastAccessed: calling([NOW - DAY]), stability: [1], section: [1] }, NOW)
        .retrievability[0],
    ];
    expectSame(inner, EXPECTED);
    expectSame(nested, [
      [
        {
          id: "x",
          score: 1.3,
          subtype: "custom:lesson",
          _original_score: 1,
          _intent_boosted: true,
          _sub_query_group: 0,
        },
      ],
      "- [ · KNOWLEDGE] title (): ",
      [["x", "y"]],
      Math.exp(-1),
    ]);
  });

  test("may change the list without harm", () => {
    const list: object[] = [node(), node(), node()];
    list[0] = trapped("access_count", () => {
      list.length = 1;
      return 1;
    });
    expectRefusal(() => js.rerankTop(list, metrics), { field: "candidates", index: 1 });
    const growing: object[] = [node()];
    growing[0] = trapped("access_count", () => growing.push(node()));
    expect(js.rerankTop(growing, metrics)).toHaveLength(1);
  });

  test("may fail to convert an argument to a number: its exception comes through, and the engine still works", () => {
    expect(thrownBy(() => js.calculateRetrievability(1n, 2))).toBeInstanceOf(TypeError);
    expect(thrownBy(() => js.applyCascadeDecay(Symbol("weight"), 2))).toBeInstanceOf(TypeError);
    expect(
      thrownBy(() =>
        js.updateStabilityOnAccessForSection(1n, 0, nous.SECTION_PROFILES.SIGNALS.decay),
      ),
    ).toBeInstanceOf(TypeError);
    expect(js.calculateRetrievability(undefined, "14")).toBe(Number.NaN);
    expect(js.calculateRetrievability("14", "14")).toBe(Math.exp(-1));
  });
});
