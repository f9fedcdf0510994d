// Hooks that views share.

import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Latest, live } from "../memory/client.ts";

/** Returns the result of a call as `live` computes it, until the component is removed. */
export function useLive<T>(
  prepare: () => (() => Promise<T>) | undefined,
): ReadonlySignal<Latest<T>> {
  const { result, stop } = useMemo(() => live(prepare), []);
  useEffect(() => stop, []);
  return result;
}
