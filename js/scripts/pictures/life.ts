// Draws the life of a memory: the decay of each section, the effect of recalls, and the effect of
// stakes. All numbers come from the engine.

import {
  calculateRetrievability,
  calculateSalience,
  getDecayLifecycleStateForSection,
  getInitialStabilityForSubtype,
  getSectionForSubtype,
  modulateStability,
  SECTION_PROFILES,
  type SectionDecayConfig,
  updateStabilityOnAccessForSection,
} from "nous-wasm";
import { COLOURS, draw } from "./draw.ts";

/** A point of a curve. */
interface Point {
  line: string;
  day: number;
  retrievability: number;
}

/** A point at which a curve leaves a lifecycle state. */
interface Mark extends Point {
  state: string;
}

const PANEL = { width: 300, height: 220 };

const decayOf = (subtype: string): SectionDecayConfig =>
  SECTION_PROFILES[getSectionForSubtype(subtype)].decay;

/** Returns the first day on which a memory of this stability has left a state, to the hour. */
function dayAfter(state: "ACTIVE" | "WEAK", stability: number, decay: SectionDecayConfig): number {
  const order = ["ACTIVE", "WEAK", "DORMANT", "COMPRESS", "ARCHIVE"];
  for (let hour = 0; ; hour++) {
    const retrievability = calculateRetrievability(hour / 24, stability);
    // Days in DORMANT matter only for the states after it.
    if (
      order.indexOf(getDecayLifecycleStateForSection(retrievability, 0, decay)) >
      order.indexOf(state)
    )
      return hour / 24;
  }
}

const marksOf = (line: string, stability: number, decay: SectionDecayConfig): Mark[] =>
  (["ACTIVE", "WEAK"] as const).map((state) => {
    const day = dayAfter(state, stability, decay);
    const next = state === "ACTIVE" ? "becomes WEAK" : "becomes DORMANT";
    return { line, day, retrievability: calculateRetrievability(day, stability), state: next };
  });

/** Returns each section's curve for one of its subtypes, without recalls. */
function sections() {
  const subtypes = ["custom:signal", "custom:trade_close", "custom:lesson", "custom:playbook"];
  const lines = subtypes.map((subtype) => ({
    name: `${getSectionForSubtype(subtype)} (${subtype.slice("custom:".length)})`,
    stability: getInitialStabilityForSubtype(subtype),
    decay: decayOf(subtype),
  }));
  // From a quarter of a day to four years, in equal steps of the axis, which is logarithmic.
  const days = Array.from({ length: 141 }, (_, step) => 0.25 * (4 * 4 * 365) ** (step / 140));
  return {
    points: lines.flatMap(({ name, stability }) =>
      days.map((day) => ({
        line: name,
        day,
        retrievability: calculateRetrievability(day, stability),
      })),
    ),
    marks: lines.flatMap(({ name, stability, decay }) => marksOf(name, stability, decay)),
    order: lines.map(({ name }) => name),
  };
}

/** Returns a lesson with recalls, beside one without. */
function recalls() {
  const decay = decayOf("custom:lesson");
  const { base_difficulty: difficulty } = SECTION_PROFILES.KNOWLEDGE.encoding;
  const last = 240;
  const life = (line: string, recalledOn: readonly number[]) => {
    const points: Point[] = [];
    let stability = getInitialStabilityForSubtype("custom:lesson");
    let since = 0;
    for (const until of [...recalledOn, last]) {
      for (let day = since; day <= until; day++) {
        points.push({ line, day, retrievability: calculateRetrievability(day - since, stability) });
      }
      stability = updateStabilityOnAccessForSection(stability, difficulty, decay);
      since = until;
    }
    return points;
  };
  const order = ["never recalled", "recalled on days 10, 40 and 110"];
  return { points: [...life(order[0]!, []), ...life(order[1]!, [10, 40, 110])], marks: [], order };
}

/** Returns closed trades with different stakes, without recalls. */
function stakes() {
  const subtype = "custom:trade_close";
  const decay = decayOf(subtype);
  const lines = [0.5, 8, -10].map((pnl_pct) => {
    const stability = modulateStability(subtype, calculateSalience(subtype, { pnl_pct }))!;
    return {
      name: `${pnl_pct > 0 ? "+" : "−"}${Math.abs(pnl_pct)} % (stability ${stability} days)`,
      stability,
    };
  });
  const days = Array.from({ length: 121 }, (_, day) => day);
  return {
    points: lines.flatMap(({ name, stability }) =>
      days.map((day) => ({
        line: name,
        day,
        retrievability: calculateRetrievability(day, stability),
      })),
    ),
    marks: lines.flatMap(({ name, stability }) => marksOf(name, stability, decay)),
    order: lines.map(({ name }) => name),
  };
}

function panel(title: string, { points, marks, order }: ReturnType<typeof sections>, days: object) {
  const x = { field: "day", type: "quantitative" as const, title: "days since", ...days };
  const y = {
    field: "retrievability",
    type: "quantitative" as const,
    title: "retrievability",
    scale: { domain: [0, 1] },
  };
  const color = {
    field: "line",
    type: "nominal" as const,
    scale: { domain: order, range: COLOURS },
    legend: {
      title: null,
      orient: "bottom" as const,
      direction: "vertical" as const,
      labelLimit: PANEL.width,
    },
  };
  return {
    ...PANEL,
    title,
    layer: [
      {
        data: { values: points },
        mark: { type: "line" as const, strokeWidth: 2 },
        encoding: { x, y, color },
      },
      {
        data: { values: marks },
        mark: { type: "point" as const, filled: true, size: 60, opacity: 1 },
        encoding: {
          x,
          y,
          color,
          shape: {
            field: "state",
            type: "nominal" as const,
            scale: { domain: ["becomes WEAK", "becomes DORMANT"], range: ["circle", "square"] },
            legend: null,
          },
        },
      },
    ],
  };
}

/** Returns the picture as SVG. */
export async function life(): Promise<string> {
  const values = [0.25, 1, 7, 30, 90, 365, 1460];
  const logarithmic = {
    scale: { type: "log", domain: [0.25, 1460] },
    axis: { values, format: "~g", grid: false },
  };
  return draw({
    title: {
      text: "● becomes WEAK   ■ becomes DORMANT",
      anchor: "middle",
      fontWeight: "normal",
      color: "#555",
    },
    hconcat: [
      panel("Sections fade at their own pace", sections(), logarithmic),
      panel("Recall starts again, and lasts longer", recalls(), { axis: { grid: false } }),
      panel("What was at stake lasts longer", stakes(), { axis: { grid: false } }),
    ],
    resolve: { scale: { color: "independent" } },
  });
}
