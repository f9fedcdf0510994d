// Rule: how sure a conflict of the queue is.

import { type Grade, gradeOf } from "nous-memory";
import type { ConflictRow } from "../../storage/rows.ts";

/** The method that compares a new memory with older ones, without a marker. */
export const BY_EVIDENCE = "EVIDENCE";

/** Returns how sure the rule was of a conflict; undefined for one that it did not find. */
export const gradeOfConflict = ({
  detection_tier,
  detection_confidence,
}: Pick<ConflictRow, "detection_tier" | "detection_confidence">): Grade | undefined =>
  detection_tier === BY_EVIDENCE ? (gradeOf(detection_confidence ?? 0) ?? "possible") : undefined;
