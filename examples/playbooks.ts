// Calls up playbooks when something happens, and keeps their record.

import { applyOutcome, formatPlaybookMatches, PlaybookBook } from "nous-wasm";

const book = new PlaybookBook();
book.add([
  {
    id: "p1",
    title: "Shed load",
    action: "Turn off recommendations, then scale workers.",
    success_count: 9,
    sample_size: 12,
    trigger: {
      anomaly_types: ["latency_spike"],
      min_severity: 0.5,
      conditions: { all: [{ var: "queue_length", op: "rising", window: 3 }] },
    },
  },
]);

const { matches, missing } = book.match([{ type: "latency_spike", severity: 0.8 }], {
  queue_length: [10, 40, 90],
});
console.log(formatPlaybookMatches(matches));
console.log("missing variables:", missing.length);

const { success_count, sample_size, stability } = applyOutcome(
  { success_count: 9, sample_size: 12, stability: 180 },
  true,
  new Date("2026-03-01"),
);
console.log(
  `after one more success: ${success_count} of ${sample_size}, stable for ${stability.toFixed(0)} days`,
);
