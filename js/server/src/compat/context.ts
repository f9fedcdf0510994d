// Prompts as clients of Hynous read them: with the plan and the failed steps of a prompt by signals.

import { contextHandlers } from "../agent/handlers/context.ts";
import type { OverridesOf } from "./overriding.ts";

/** The plan of a prompt by evidence, which plans no searches by kind. */
const NO_PLAN = { queries: [], budget_overrides: {}, skip_types: [] };

export const contextOverrides = {
  buildContext: async (agent, given) => ({
    plan: NO_PLAN,
    failed: [],
    ...(await contextHandlers.buildContext(agent, given)),
  }),
} satisfies OverridesOf<"buildContext">;
