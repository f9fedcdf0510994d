// What a log tells of answers.

import type { ConsolidationAnswer } from "./consolidation.ts";

export const figuresOf = ({ errors, ...figures }: ConsolidationAnswer) => ({
  ...figures,
  errors: errors.length,
});
