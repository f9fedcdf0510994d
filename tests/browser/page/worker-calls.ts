// Calls the worker of a page directly, as its views do, so that tests see results as numbers.

import type { Page } from "playwright-core";

/** Notes the page's workers. Must be called before the page is opened. */
export async function noteWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const noted: Worker[] = [];
    Object.assign(globalThis, { noted });
    const Plain = globalThis.Worker;
    globalThis.Worker = class extends Plain {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        super(...given);
        noted.push(this);
      }
    };
  });
}

/** Calls a function of the first worker, by the messages of comlink. */
export function callWorker<T>(page: Page, name: string, ...given: unknown[]): Promise<T> {
  return page.evaluate(
    ([name, given]) =>
      new Promise((resolve, reject) => {
        const [worker] = (globalThis as unknown as { noted: Worker[] }).noted;
        const id = `test ${Math.random()}`;
        worker!.addEventListener("message", function listen({ data }) {
          if (data.id !== id) return;
          worker!.removeEventListener("message", listen);
          if (data.type === "HANDLER") reject(new Error(data.value.value?.message));
          else resolve(data.value);
        });
        const argumentList = given.map((value) => ({ type: "RAW", value }));
        worker!.postMessage({ id, type: "APPLY", path: [name], argumentList });
      }),
    [name, given] as const,
  ) as Promise<T>;
}
