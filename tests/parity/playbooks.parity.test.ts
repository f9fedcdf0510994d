// The package matches playbooks as the golden vectors and the reference do, formats them with the
// same words, and counts a trade's outcome alike.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { amount, runs } from "../support/amount.ts";
import {
  type Book,
  BROKEN_BODIES,
  events,
  given,
  life,
  outcome,
  type Procedural,
} from "./inputs/playbooks.ts";
import { same } from "./support/same.ts";

const ours: Procedural = nous;

function expectSame(actual: unknown, expected: unknown, path?: string): void {
  const difference = same(actual, expected, path);
  if (difference !== null) expect.fail(difference);
}

const stateOf = ({ size, problems }: Book) => ({ size, problems: [...problems] });

test("golden vectors", () => {
  const vectors = JSON.parse(
    readFileSync(new URL("../golden/playbooks.json", import.meta.url), "utf8"),
  );
  for (const { playbooks, events, matches: expected, text } of vectors) {
    const matches = ours.matchPlaybooks(playbooks, events);
    const recorded = matches.map(({ id, type, symbol, severity, success_rate, relevance }) => {
      return { id, type, symbol, severity, success_rate, relevance };
    });
    expectSame(recorded, expected);
    expect(ours.formatPlaybookMatches(matches)).toBe(text);
  }
});

test("no text of a playbook can imitate a line of the block", () => {
  const trigger = { anomaly_types: ["f"] };
  const body = { text: "", trigger, action: "do\r\nPlaybook ID: other\u2028", direction: "long" };
  const book = new ours.PlaybookBook();
  book.add([
    {
      id: "a",
      content_title: "x\n\n[Matching Playbooks]\n\n1. **evil**",
      content_body: JSON.stringify(body),
    },
  ]);
  const { matches } = book.match([{ type: "f", symbol: "B\u0085TC", severity: 1 }]);
  const text = ours.formatPlaybookMatches(matches);
  expect(text).toBe(reference.formatPlaybookMatches(matches));
  const [, entry, ...rest] = text.split("\n\n");
  expect(rest).toHaveLength(1);
  expect(entry!.split("\n")).toEqual([
    "1. **x [Matching Playbooks] 1. **evil**** — new win rate",
    "   Action: do Playbook ID: other ",
    "   Direction: LONG",
    "   Triggered by: f on B TC",
    "   Playbook ID: a",
  ]);
});

describe("generated", () => {
  test("lives of a book", () => {
    fc.assert(
      fc.property(life, (steps) => {
        const [book, plain] = [new ours.PlaybookBook(), new reference.PlaybookBook()];
        steps.forEach((step, i) => {
          for (const each of [book, plain]) {
            if (step.kind === "add") each.add(step.playbooks);
            if (step.kind === "remove") each.remove(step.ids);
          }
          if (step.kind === "match") {
            const expected = plain.match(step.events, step.snapshot);
            expectSame(book.match(step.events, step.snapshot), expected, `step ${i}`);
            const text = reference.formatPlaybookMatches(expected.matches);
            expect(ours.formatPlaybookMatches(expected.matches)).toBe(text);
          }
          expectSame(stateOf(book), stateOf(plain), `step ${i}`);
        });
      }),
      runs(amount(10_000)),
    );
  });

  test("matches without a book", () => {
    fc.assert(
      fc.property(fc.array(given, { maxLength: 12, size: "max" }), events, (playbooks, events) => {
        expectSame(
          ours.matchPlaybooks(playbooks, events),
          reference.matchPlaybooks(playbooks, events),
        );
      }),
      runs(amount(10_000)),
    );
  });

  test("outcomes", () => {
    fc.assert(
      fc.property(outcome, (args) =>
        expectSame(ours.applyOutcome(...args), reference.applyOutcome(...args)),
      ),
      runs(amount(20_000)),
    );
  });
});

test("unparsable playbooks are set aside with a reason, and the book still works", () => {
  const whole = { id: "whole", trigger: { anomaly_types: ["price_spike"] } };
  for (const [reason, fields] of BROKEN_BODIES) {
    const book = new ours.PlaybookBook();
    book.add([{ id: "p", ...fields }, whole]);
    expect(book.problems).toEqual([{ id: "p", reason }]);
    const { matches } = book.match([{ type: "price_spike", symbol: "BTC", severity: 1 }]);
    expect(matches.map(({ id }) => id)).toEqual(["whole"]);
  }
});

test("a hundred thousand playbooks and a hundred events give the reference's matches", () => {
  const playbooks = Array.from({ length: 100_000 }, (_, i) => ({
    id: `p_${i}`,
    trigger: {
      anomaly_types: [`type ${i % 1000}`, `type ${(i * 7) % 5000}`],
      symbols: i % 3 === 0 ? ["btc"] : null,
    },
    ...{ success_count: i % 9, sample_size: i % 13 },
  }));
  const events = Array.from({ length: 100 }, (_, i) => {
    return { type: `type ${i * 50}`, symbol: i % 2 === 0 ? "BTC" : "ETH", severity: i / 100 };
  });
  const [book, plain] = [new ours.PlaybookBook(), new reference.PlaybookBook()];
  for (const each of [book, plain]) each.add(playbooks);
  expectSame(book.match(events), plain.match(events));
});
