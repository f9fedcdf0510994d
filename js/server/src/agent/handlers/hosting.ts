// Purges: memories are deleted so that no file holds their text.

import type { purgeOperations } from "../../api/hosting.ts";
import type { HandlersOf } from "../handler.ts";

export const purgeHandlers: HandlersOf<typeof purgeOperations> = {
  purgeNode: async (agent, { params: { id } }) => ({ ok: true, deleted: await agent.purge(id) }),
};
