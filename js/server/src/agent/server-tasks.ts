// Tasks that the HTTP thread sends to an agent on its own, without a request of a client.

import { CONSOLIDATION_TASKS } from "./consolidation/lessons.ts";
import { EMBEDDING_TASKS } from "./embedding-tasks.ts";
import { RECALL_TASKS } from "./rules/recall.ts";
import { TURNS } from "./tasks.ts";
import { REMEMBERING_TASKS } from "./writes/remember.ts";

export const SERVER_TASKS = {
  ...EMBEDDING_TASKS,
  ...CONSOLIDATION_TASKS,
  ...RECALL_TASKS,
  ...REMEMBERING_TASKS,
  ...TURNS,
};

export type ServerTask = keyof typeof SERVER_TASKS;
