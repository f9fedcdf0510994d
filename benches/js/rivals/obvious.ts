// The rival everybody has: ranking as a user writes it in an afternoon, with `Object.entries`, a
// reduce for the primary signal and a spread `Math.max`. It is the parity reference itself,
// unchanged, so that what is timed is what is tested. It overflows the stack at some 120,000
// candidates.

export {
  rerankCandidates,
  rerankTop,
  rerankWithSectionWeights,
} from "../../../tests/reference/rerank.ts";
