// Purges: memories are deleted so that no file holds their text.

import type { purgeOperations } from "../../api/hosting.ts";
import { Refusal } from "../../refusal.ts";
import type { HandlersOf } from "../handler.ts";

export const purgeHandlers: HandlersOf<typeof purgeOperations> = {
  purgeNode: async (agent, { params: { id } }) => {
    if (agent.storage.isRemote) {
      const why =
        "the database is remote, and only its host can rewrite its files: delete the memory instead";
      throw new Refusal(409, why);
    }
    return { ok: true, deleted: await agent.purge(id) };
  },
};
