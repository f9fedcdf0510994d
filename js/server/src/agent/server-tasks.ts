// Tasks that the HTTP thread sends to an agent on its own, without a request of a client.

import { EMBEDDING_TASKS } from "./handlers/embeddings.ts";
import { CONSOLIDATION_TASKS } from "./handlers/lessons.ts";
import { REMEMBERING_TASKS } from "./handlers/remember.ts";
import { TURNS } from "./tasks.ts";

export const SERVER_TASKS = {
  ...EMBEDDING_TASKS,
  ...CONSOLIDATION_TASKS,
  ...REMEMBERING_TASKS,
  ...TURNS,
};

export type ServerTask = keyof typeof SERVER_TASKS;
