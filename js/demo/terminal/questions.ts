// The standing questions: one for each section.

export const STANDING_QUESTIONS = [
  "Which signals are firing on SOL right now?",
  "What happened with my ETH trades last week?",
  "What lessons have I learned about liquidation cascades?",
  "What is my playbook for extreme funding?",
] as const;
