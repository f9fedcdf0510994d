// A browser's `Worker` as an index's thread.

import { NousError } from "../core.ts";
import type { Thread } from "../memory/worker/threads.ts";

export function webThread(open: () => Worker): Thread {
  if (typeof Worker === "undefined") {
    throw new NousError(
      "unsupported",
      "There are no workers here: use MemoryIndex, which needs none.",
    );
  }
  const worker = open();
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    listen: ({ heard, lost }) => {
      worker.onmessage = ({ data }) => heard(data);
      worker.onmessageerror = () => lost("gave an answer that cannot be read");
      // A script that is not found, or that a policy forbids, says nothing of why.
      worker.onerror = ({ message }) => lost("failed", message ? new Error(message) : undefined);
    },
    // A page stays for as long as somebody looks at it.
    hold: () => {},
    terminate: async () => worker.terminate(),
  };
}
