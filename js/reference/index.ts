// The whole reference, in plain TypeScript: a file for each part of the behaviour.

export * from "./consolidation.ts";
export * from "./context.ts";
export * from "./decay.ts";
export * from "./intent.ts";
export * from "./merge.ts";
export * from "./patterns.ts";
export * from "./playbook.ts";
export * from "./prompt.ts";
export * from "./query.ts";
export * from "./rerank.ts";
export * from "./salience.ts";
export { getInitialEdgeStrength } from "./search.ts";
export * from "./sections.ts";
export {
  affinityScore,
  authorityScore,
  graphScore,
  type Instant,
  keywordScore,
  recencyScore,
  type ScoredNode,
  semanticScore,
} from "./signals.ts";
export * from "./stop-words.ts";
export * from "./sweep.ts";
export * from "./times.ts";
export * from "./turn.ts";
export * from "./usage.ts";
