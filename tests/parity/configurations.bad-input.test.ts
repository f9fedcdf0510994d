// Wrong configurations are refused. Constants and profiles are frozen.

import { runInNewContext } from "node:vm";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import {
  byDefault,
  checkDefaultResults,
  defaultMetrics,
  EXPECTED,
  expectRefusal,
  expectSame,
  INFINITY,
  js,
  thrownBy,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("configurations", () => {
  test("of twenty thousand subtypes are read in linear time", () => {
    const subtypes = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, place) => [
        `custom:own ${place}`,
        { section: "SIGNALS" } as const,
      ]),
    );
    const began = process.cpuUsage();
    const engine = nous.createEngine({ sections: { subtypes } });
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(12);
    for (const name of ["custom:own 0", "custom:own 19999"])
      expect(engine.getSectionForSubtype(name)).toBe("SIGNALS");
    expect(engine.getSectionForSubtype("custom:own 20000")).toBe("KNOWLEDGE");
  });

  const profile = (changes: object) => ({ sections: { profiles: { SIGNALS: changes } } });
  class OwnClass {
    enabled = true;
  }
  const cyclic: Record<string, unknown> = {};
  cyclic.sections = { subtypes: cyclic };
  const own = (json: string) => JSON.parse(json) as object;
  const SIGNALS = "sections.profiles.SIGNALS";
  const CASES: [field: string, config: unknown][] = [
    ...[null, 5, "config", true, [], 1n, () => ({}), new OwnClass(), new Map(), new Date()].map(
      (config): [string, unknown] => ["config", config],
    ),
    ["section", { section: {} }],
    ["constructor", { constructor: {} }],
    ["__proto__", own('{"__proto__":{"sections":{}}}')],
    ["sections.__proto__", own('{"sections":{"__proto__":{"enabled":false}}}')],
    ["sections", { sections: null }],
    ["sections", { sections: [] }],
    ["sections", { sections: new OwnClass() }],
    ["sections.enabled", { sections: { enabled: "no" } }],
    ["sections.enabled", { sections: { enabled: () => true } }],
    ["sections.intent_boost", { sections: { intent_boost: 2 } }],
    ["sections.intentBosst", { sections: { intentBosst: 2 } }],
    ...["2", null, Number.NaN, INFINITY, 0.99, -1, 1n].map((intentBoost): [string, unknown] => [
      "sections.intentBoost",
      { sections: { intentBoost } },
    ]),
    ["sections.defaultSection", { sections: { defaultSection: "knowledge" } }],
    ["sections.subtypes", { sections: { subtypes: [] } }],
    ["sections.subtypes.my_own", { sections: { subtypes: { my_own: "SIGNALS" } } }],
    ["sections.subtypes.my_own.section", { sections: { subtypes: { my_own: {} } } }],
    [
      "sections.subtypes.my_own.section",
      { sections: { subtypes: { my_own: { section: "OTHER" } } } },
    ],
    [
      "sections.subtypes.a.b.stability",
      { sections: { subtypes: { "a.b": { section: "SIGNALS", stability: 0 } } } },
    ],
    [
      "sections.subtypes.a.stability",
      { sections: { subtypes: { a: { section: "SIGNALS", stability: "2" } } } },
    ],
    [
      "sections.subtypes.a.initialDays",
      { sections: { subtypes: { a: { section: "SIGNALS", initialDays: 2 } } } },
    ],
    ["sections.profiles.OTHER", { sections: { profiles: { OTHER: {} } } }],
    [`${SIGNALS}.section`, profile({ section: "SIGNALS" })],
    [`${SIGNALS}.name`, profile({ name: 5 })],
    [`${SIGNALS}.consolidationRole`, profile({ consolidationRole: "both" })],
    [`${SIGNALS}.intentBoost`, profile({ intentBoost: 0 })],
    [`${SIGNALS}.rerankingWeights`, profile({ rerankingWeights: { semantic: 0.9 } })],
    [`${SIGNALS}.rerankingWeights.semantic`, profile({ rerankingWeights: { semantic: -0.1 } })],
    [`${SIGNALS}.rerankingWeights.graph`, profile({ rerankingWeights: { graph: "0.1" } })],
    [`${SIGNALS}.rerankingWeights.novelty`, profile({ rerankingWeights: { novelty: 0.1 } })],
    [`${SIGNALS}.reranking_weights`, profile({ reranking_weights: {} })],
    [`${SIGNALS}.decay.maxStabilityDays`, profile({ decay: { maxStabilityDays: -1 } })],
    [`${SIGNALS}.decay.growthRate`, profile({ decay: { growthRate: 0 } })],
    [`${SIGNALS}.decay.activeThreshold`, profile({ decay: { activeThreshold: 1.1 } })],
    [`${SIGNALS}.decay.weakThreshold`, profile({ decay: { weakThreshold: 0.5 } })],
    [`${SIGNALS}.encoding.baseDifficulty`, profile({ encoding: { baseDifficulty: 2 } })],
    [`${SIGNALS}.encoding.salienceEnabled`, profile({ encoding: { salienceEnabled: 1 } })],
    [
      `${SIGNALS}.encoding.maxSalienceMultiplier`,
      profile({ encoding: { maxSalienceMultiplier: 0.5 } }),
    ],
    ["intent.matcher", { intent: { matcher: "regex" } }],
    ["intent.strings.OTHER", { intent: { strings: { OTHER: [] } } }],
    ["intent.strings.SIGNALS", { intent: { strings: { SIGNALS: "live" } } }],
    ["intent.strings.SIGNALS[1]", { intent: { strings: { SIGNALS: ["live", 5] } } }],
    ["intent.strings.SIGNALS[1]", { intent: { strings: { SIGNALS: ["live", undefined] } } }],
    ["intent.strings.SIGNALS[0]", { intent: { strings: { SIGNALS: [" \t"] } } }],
    ["intent.strings", { intent: { strings: { SIGNALS: ["x".repeat(70_000)] } } }],
    ["salienceGrowth", { salienceGrowth: "yes" }],
    ["salienceGrowth", { salienceGrowth: 1 }],
    ["salienceGrowth", { salienceGrowth: null }],
    ["salience_growth", { salience_growth: true }],
    ["knownSymbols", { knownSymbols: ["x".repeat(70_000)] }],
    ["query", { query: true }],
    ["query.adjacentPossessives", { query: { adjacentPossessives: "yes" } }],
    ["query.adjacentPossessives", { query: { adjacentPossessives: null } }],
    ["query.attributeWords", { query: { attributeWords: "id" } }],
    ["query.attributeWords[0]", { query: { attributeWords: [7] } }],
    ["query.attributeWords", { query: { attributeWords: ["id", " "] } }],
    ["query.attributeWords", { query: { attributeWords: Array(10_001).fill("id") } }],
    ["query.adjacent", { query: { adjacent: true } }],
    ["query.adjacent_possessives", { query: { adjacent_possessives: true } }],
    ["curve", { curve: "linear" }],
    ["curve", { curve: Symbol("fsrs6") }],
    ["curve", { curve: new String("fsrs6") }],
  ];

  test.each(CASES)("%s", (field, config) => {
    expectRefusal(() => js.createEngine(config), { field }, "invalid_config");
  });

  test("with cycles are refused, and errors spell keys of snake_case in camelCase", () => {
    const error = thrownBy(() => js.createEngine(cyclic)) as nous.NousError;
    expect([error.code, error.message.length < 300]).toEqual(["invalid_config", true]);
    for (const [config, hint] of [
      [{ sections: { intent_boost: 2 } }, "intentBoost"],
      [profile({ decay: { max_stability_days: 2 } }), "maxStabilityDays"],
    ] as const) {
      expect((thrownBy(() => js.createEngine(config)) as Error).message).toContain(hint);
    }
  });

  const { inSnakeCase } = nous as unknown as { inSnakeCase(config: object): nous.EngineConfig };
  const SNAKE_CASES: [field: string, config: object, hint?: string][] = [
    ["search.max_seed", { search: { max_seed: 2 } }, "(did you mean max_seeds?)"],
    ["search.maxSeeds", { search: { maxSeeds: 2 } }, "(did you mean max_seeds?)"],
    ["salienceGrowth", { salienceGrowth: true }, "(did you mean salience_growth?)"],
    ["sections.intent_boost", { sections: { intent_boost: 0 } }],
    ["sections.subtypes.myOwn.stability", { sections: { subtypes: { myOwn: { stability: 0 } } } }],
    [
      `${SIGNALS}.decay.max_stability_day`,
      profile({ decay: { max_stability_day: 2 } }),
      "(did you mean max_stability_days?)",
    ],
    [
      `${SIGNALS}.rerankingWeights`,
      profile({ rerankingWeights: {} }),
      "(did you mean reranking_weights?)",
    ],
    ["known_symbols[1]", { known_symbols: ["BTC", () => 1] }],
  ];

  test.each(SNAKE_CASES)(
    "marked as written in snake_case are refused by their own paths: %s",
    (field, config, hint = "") => {
      const marked = inSnakeCase(config);
      for (const refused of [
        () => nous.createEngine(marked),
        () => new nous.MemoryIndex({ config: marked }),
        () => nous.createOrchestrator({ search: () => [], config: marked }),
      ]) {
        expectRefusal(refused, { field }, "invalid_config");
        expect((thrownBy(refused) as Error).message).toContain(hint);
      }
    },
  );

  test("marked as written in snake_case configure the same, and lose the mark by cloning", () => {
    const settings = {
      sections: {
        subtypes: { myOwn: { section: "SIGNALS" } },
        profiles: { SIGNALS: { decay: { growth_rate: 2 } } },
      },
      salience_growth: true,
      curve: "fsrs6",
    };
    const engine = nous.createEngine(inSnakeCase(structuredClone(settings)));
    const same = nous.createEngine({
      sections: {
        subtypes: { myOwn: { section: "SIGNALS" } },
        profiles: { SIGNALS: { decay: { growthRate: 2 } } },
      },
      salienceGrowth: true,
      curve: "fsrs6",
    });
    expect(engine.SECTION_PROFILES).toEqual(same.SECTION_PROFILES);
    expect(engine.getSectionForSubtype("myOwn")).toBe("SIGNALS");
    for (const salience of [0.1, 0.9]) {
      const [grown, byDefault] = [engine, same].map(({ updateStabilityOnAccess: grow }) =>
        grow(14, 0.3, 0.9, salience),
      );
      expect(grown).toBe(byDefault);
    }
    expect(() => nous.createEngine(structuredClone(inSnakeCase(settings)))).toThrow(/^settings\./);
  });

  test("may be of another realm, frozen, or without a prototype", () => {
    const config = { sections: { subtypes: { own: { section: "SIGNALS" } } } };
    const foreign = runInNewContext(`(${JSON.stringify(config)})`);
    for (const form of [
      foreign,
      Object.freeze(config),
      Object.assign(Object.create(null), config),
    ]) {
      expect(js.createEngine(form).getSectionForSubtype("own")).toBe("SIGNALS");
    }
  });

  test("pollute no prototype, and are read once", () => {
    const config = own(
      '{"sections":{"subtypes":{"__proto__":{"section":"SIGNALS"},"constructor":{"section":"EPISODIC"}}}}',
    );
    const engine = js.createEngine(config);
    expect(engine.getSectionForSubtype("__proto__")).toBe("SIGNALS");
    expect(engine.getSectionForSubtype("constructor")).toBe("EPISODIC");
    expect(engine.getSectionForSubtype("toString")).toBe("KNOWLEDGE");
    expect(({} as Record<string, unknown>).section).toBeUndefined();
    expect(Object.getPrototypeOf(engine.SUBTYPE_TO_SECTION)).toBe(Object.prototype);

    const changing = { sections: { enabled: true, intentBoost: 2 } };
    const before = nous.createEngine(changing);
    changing.sections.enabled = false;
    changing.sections.intentBoost = Number.NaN;
    expectSame(before.rerankWithSectionWeights(byDefault, defaultMetrics, NOW), EXPECTED[0]);
  });
});

test("subtypes and types named like members of objects are unknown", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", ""]) {
    expect(nous.getSectionForSubtype(name)).toBe("KNOWLEDGE");
    expect(nous.getInitialStabilityForSubtype(name)).toBe(60);
    expect(js.getInitialStability(name)).toBe(14);
    expect(js.getInitialDifficulty(name)).toBe(0.3);
    expect(js.getInitialEdgeStrength(name)).toBe(0.5);
    expect(nous.formatContext([{ subtype: name }])).toContain(" · KNOWLEDGE]");
  }
  for (const wrong of [5, {}, [], true, ["custom:signal"]])
    expect(js.getSectionForSubtype(wrong)).toBe("KNOWLEDGE");
});

test("constants and profiles cannot be changed", () => {
  const changes: (() => unknown)[] = [
    () => js.MEMORY_SECTIONS.push("OTHER"),
    () => Object.assign(nous.RERANKING_WEIGHTS, { semantic: 1 }),
    () => Object.assign(nous.SECTION_PROFILES.SIGNALS.decay, { growth_rate: 9 }),
    () => Object.assign(nous.SUBTYPE_TO_SECTION, { "custom:lesson": "SIGNALS" }),
  ];
  for (const change of changes) expect(thrownBy(change)).toBeInstanceOf(TypeError);
});
