// The package understands turns of conversation as the golden vectors and the reference do, to the
// bit.

import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { runs } from "../support/amount.ts";
import { foreignTurn, frame, MODES, signals, subtype, TURNS, turn } from "./inputs/turns.ts";
import { same } from "./support/same.ts";
import { describeRules, type Functions } from "./support/turn-rules.ts";

/** Of other sections than signals. */
const NO_STRINGS = { EPISODIC: [], KNOWLEDGE: [], PROCEDURAL: [] };
const LONG_RUN = runs(TURNS);

function expectSame(actual: unknown, expected: unknown): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(difference);
}

describeRules(nous as Functions);

describe(`${TURNS} turns`, () => {
  describe.each(MODES)("in %s mode", (mode) => {
    test("classifyTurn and planTurn", () => {
      fc.assert(
        fc.property(turn, frame, (text, of) => {
          expectSame(
            nous.classifyTurn(text, of, { mode }),
            reference.classifyTurn(text, of, { mode }),
          );
          expectSame(nous.planTurn(text, of, { mode }), reference.planTurn(text, of, { mode }));
        }),
        LONG_RUN,
      );
    });

    test("classifyTurn of other languages", () => {
      fc.assert(
        fc.property(foreignTurn, (text) =>
          expectSame(
            nous.classifyTurn(text, "task", { mode }),
            reference.classifyTurn(text, "task", { mode }),
          ),
        ),
        LONG_RUN,
      );
    });

    test("planRetrieval", () => {
      fc.assert(
        fc.property(signals, (signals) => {
          const given = signals as nous.SignalsToPlan;
          expectSame(
            nous.planRetrieval(given, { mode }),
            reference.planRetrieval(signals, { mode }),
          );
        }),
        LONG_RUN,
      );
    });
  });

  test("selectFrame", () => {
    fc.assert(
      fc.property(turn, (text) => expectSame(nous.selectFrame(text), reference.selectFrame(text))),
      LONG_RUN,
    );
  });

  test("nextTopic", () => {
    fc.assert(
      fc.property(turn, (text) => expectSame(nous.nextTopic(text), reference.nextTopic(text))),
      LONG_RUN,
    );
  });

  test("memoryTypeOf", () => {
    fc.assert(
      fc.property(subtype, (subtype) =>
        expectSame(nous.memoryTypeOf(subtype), reference.memoryTypeOf(subtype)),
      ),
      runs(),
    );
  });
});

test("signals follow the configuration's strings", () => {
  const strings = { SIGNALS: ["fire", "Élan"] };
  for (const matcher of ["substring", "words"] as const) {
    const engine = nous.createEngine({ intent: { strings, matcher } });
    const wantsSignals = (text: string) =>
      reference
        .classifyIntent(text, { strings: { ...NO_STRINGS, ...strings }, matcher })
        .includes("SIGNALS");
    const text = fc
      .tuple(turn, fc.constantFrom("fire", "fires", "FIRE.", "élan", ""))
      .map((pieces) => pieces.join(" "));
    fc.assert(
      fc.property(text, frame, (text, of) => {
        expectSame(engine.planTurn(text, of), reference.planTurn(text, of, { wantsSignals }));
      }),
      runs(2000),
    );
  }
});

test("types follow the configuration's sections", () => {
  const subtypes = {
    "custom:lesson": { section: "SIGNALS" },
    "custom:thesis": { section: "SIGNALS" },
  } as const;
  const engine = nous.createEngine({ sections: { subtypes, defaultSection: "PROCEDURAL" } });
  const types = ["custom:lesson", "custom:thesis", "custom:unheard_of"].map(engine.memoryTypeOf);
  expect(types).toEqual(["signal", "decision", "procedure"]);
});
