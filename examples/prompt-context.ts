// Writes the prompt for a turn within a token budget, and learns which memories the answer used.

import { buildContext, contextMemory, UsageTracker } from "nous-wasm";

const rows = [
  { id: "d1", subtype: "custom:thesis", content_title: "Use Redis for sessions", score: 0.8 },
  {
    id: "f1",
    subtype: "custom:lesson",
    content_title: "Redis evicts the oldest sessions first",
    score: 0.7,
  },
  { id: "f2", subtype: "custom:lesson", content_title: "Sessions are signed", score: 0.4 },
];
const usage = new UsageTracker();

const context = await buildContext({
  input: "should we keep sessions in Redis?",
  identity: "You are a careful engineer.",
  messages: [{ role: "user", content: "the session store is full again" }],
  profile: [{ id: "u1", text: "The user prefers short answers.", category: "preference" }],
  retrieve: async ({ limit }) => rows.slice(0, limit).map(contextMemory),
  budgets: { total: 400 },
  usage,
});
console.log(context.prompt);
console.log("left out:", context.left_out.map(({ id, reason }) => `${id} (${reason})`).join(", "));

// After the model has answered: which memories did the answer use?
usage.feedback(
  context.recalled_content,
  "Yes, but raise the limit: Redis evicts the oldest sessions first.",
);
console.log("boost of f1 next time:", usage.boost(["f1"]));
