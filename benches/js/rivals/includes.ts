// The rival for keyword matching, as a user writes it: lower-cases once, then calls `includes` for
// every string of the table until a section matches. V8's `includes` is hard to beat string by
// string.

import { INTENT_ORDER, INTENT_STRINGS } from "../../../js/reference/intent.ts";
import type { MemorySection } from "../../../js/reference/sections.ts";

export function classifyIntent(query: string): MemorySection[] {
  const text = query.toLowerCase();
  return INTENT_ORDER.filter((section) =>
    INTENT_STRINGS[section].some((string) => text.includes(string)),
  );
}
