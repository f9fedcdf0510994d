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
      // The event has no message if the script is not found or a policy forbids it.
      worker.onerror = ({ message }) => lost("failed", message ? new Error(message) : undefined);
    },
    // A page does not end because of an idle worker.
    hold: () => {},
    terminate: async () => worker.terminate(),
  };
}
