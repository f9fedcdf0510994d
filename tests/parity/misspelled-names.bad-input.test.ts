// Misspelled names of options, settings and fields are refused, and the nearest known name is
// suggested.

import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import { checkDefaultResults, js } from "./support/bad-input.ts";

checkDefaultResults();

describe("misspelled names", () => {
  const index = new nous.MemoryIndex();
  test.each<[wrong: string, meant: string, call: () => unknown]>([
    ["limt", "limit", () => index.search({ limt: 3 } as object)],
    ["maxSeeds", "max_seeds", () => index.search({ maxSeeds: 3 } as object)],
    ["serch", "search", () => js.createEngine({ serch: {} })],
    ["search.maxSeed", "maxSeeds", () => js.createEngine({ search: { maxSeed: 3 } })],
    ["orchestrator.maxPart", "maxParts", () => js.createEngine({ orchestrator: { maxPart: 3 } })],
    [
      "sections.profiles.SIGNALS.decay.growthrate",
      "growthRate",
      () => js.createEngine({ sections: { profiles: { SIGNALS: { decay: { growthrate: 2 } } } } }),
    ],
    [
      "salience.sources.x.feild",
      "field",
      () => js.createEngine({ salience: { sources: { x: { feild: "y" } } } }),
    ],
    [
      "creatd_at",
      "created_at",
      () => index.upsert([{ id: "a", creatd_at: NOW } as nous.MemoryNode]),
    ],
    [
      "createdAt",
      "created_at",
      () => index.upsert([{ id: "a", createdAt: NOW } as nous.MemoryNode]),
    ],
    [
      "acess_count",
      "access_count",
      () => index.upsert([{ id: "a", acess_count: 1 } as nous.MemoryNode]),
    ],
    [
      "strenght",
      "strength",
      () =>
        index.link([{ id: "e", source_id: "a", target_id: "b", strenght: 0.5 } as nous.MemoryEdge]),
    ],
  ])("%s: is refused, and %s is suggested", (wrong, meant, call) => {
    expect(call).toThrow(`(did you mean ${meant}?)`);
    expect(call).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field: wrong }) }),
    );
  });

  test("without a near match get no suggestion", () => {
    expect(() => index.search({ elephants: 3 } as object)).toThrow(
      /^elephants is not an option: there are/,
    );
    expect(() => js.createEngine({ search: { elephants: 3 } })).toThrow(/is not a known key$/);
  });

  test("that are other columns of a whole row are ignored", () => {
    const row = {
      ...{ id: "row", created_at: NOW, createdAt: "a row of another library has both" },
      ...{ created_by: "somebody", uid: 1, tag: "x", content_title: "t", updated_at: NOW },
      ...{ state_lifecycle: "ACTIVE", neural_stability: 3, inbound_edge_count: 2 },
    };
    expect(index.upsert([row])).toBe(1);
    expect(index.get("row")!.created_at).toBe(NOW);
    expect(index.upsert([index.get("row")!])).toBe(0);
  });

  test("are refused after right ones, whatever the entry before had", () => {
    const upsert = (fields: object) => () => index.upsert([{ id: "next", ...fields }]);
    expect(upsert({ stability: 3 })()).toBe(1);
    expect(upsert({ stabilty: 3 })).toThrow("stabilty is not a field (did you mean stability?)");
    expect(upsert({ stability: 3, note: "x" })()).toBe(0);
    expect(upsert({ stability: 3, note: "x", saliense: 0.5 })).toThrow("did you mean salience?");
    expect(upsert({ createdAt: "another library's", created_at: NOW })()).toBe(0);
    expect(upsert({ createdAt: NOW })).toThrow("createdAt is not a field");
    const hidden = Object.defineProperty({ createdAt: NOW }, "created_at", { value: NOW });
    expect(index.upsert([Object.assign(hidden, { id: "next" })])).toBe(0);
    expect(upsert({ createdAt: NOW })).toThrow("createdAt is not a field");
  });
});
