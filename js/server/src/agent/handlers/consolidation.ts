// Consolidation of an agent's memory.

import type { consolidationOperations } from "../../api/consolidation.ts";
import { consolidate } from "../consolidation/consolidate.ts";
import type { HandlersOf } from "../handler.ts";

export const consolidationHandlers: HandlersOf<typeof consolidationOperations> = {
  consolidate: (agent, { body, analyses }) => consolidate(agent, body, analyses),
};
