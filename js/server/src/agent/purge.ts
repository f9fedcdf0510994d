// What is to be gone without a trace.

import type { purgeOperations } from "../api/hosting.ts";
import type { HandlersOf } from "./handlers.ts";

export const purgeHandlers: HandlersOf<typeof purgeOperations> = {
  purgeNode: (agent, { params: { id } }) => ({ ok: true, deleted: agent.purge(id) }),
};
