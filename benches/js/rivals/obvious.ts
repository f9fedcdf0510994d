// The obvious ranking, as a user writes it in an afternoon, with `Object.entries`, a reduce for the
// primary signal and a spread `Math.max`. It is the parity reference itself, unchanged, so that the
// timed code is the tested code. It overflows the stack at about 120,000 candidates.

export {
  rerankCandidates,
  rerankTop,
  rerankWithSectionWeights,
} from "../../../js/reference/rerank.ts";
