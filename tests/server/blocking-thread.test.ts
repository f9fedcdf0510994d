// Calls to a thread that block until it replies.

import { afterEach, expect, test } from "vitest";
import { BlockingThread } from "../../js/server/src/storage/blocking-thread.ts";

/** A thread that runs this code for each call: `asked` is the call, `reply` answers it. */
const threadOf = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { workerData } from "node:worker_threads";
      const { port, answered } = workerData;
      const reply = (value) => {
        port.postMessage(value);
        Atomics.store(answered, 0, 1);
        Atomics.notify(answered, 0);
      };
      port.on("message", async (asked) => { ${code} });
    `)}`,
  );

const open: BlockingThread<unknown, unknown>[] = [];
afterEach(() => open.splice(0).forEach((thread) => void thread.close()));

function started(code: string): BlockingThread<number, number> {
  const thread = new BlockingThread<number, number>(threadOf(code), {});
  open.push(thread as BlockingThread<unknown, unknown>);
  return thread;
}

test("a call returns its reply", () => {
  const thread = started("reply(asked + 1);");
  expect([1, 2, 3].map((asked) => thread.call(asked, 10_000))).toEqual([2, 3, 4]);
});

test("a notification that comes before the reply ends no call", () => {
  const thread = started(`
    for (let time = 0; time < 5; time++) {
      await new Promise((done) => setTimeout(done, 10));
      Atomics.notify(answered, 0);
    }
    reply(asked);`);
  expect([1, 2].map((asked) => thread.call(asked, 10_000))).toEqual([1, 2]);
});

test("a call without a reply ends after its time, and the next one has another thread", () => {
  const thread = started("if (asked > 0) reply(asked);");
  const before = performance.now();
  expect(thread.call(0, 300)).toBeUndefined();
  expect(performance.now() - before).toBeGreaterThanOrEqual(299);
  expect(thread.call(7, 10_000)).toBe(7);
});
