// Classification by precompiled regular expressions, as an expert of V8 writes it. `patterns` runs
// each pattern in turn. `tuned` runs one expression for each category first, and the category's
// patterns only if it matched.

import * as reference from "../../../js/reference/index.ts";

type Classify = typeof reference.classifyQuery;

/** For lower-case text: case-insensitive expressions do not match the Kelvin sign as a k. */
const ATTRIBUTES = reference.ATTRIBUTE_WORDS.map((word) => ({ word, regex: new RegExp(word) }));
const ANY_ATTRIBUTE = new RegExp(reference.ATTRIBUTE_WORDS.join("|"));
const POSSESSIVE = /(\S+(?:\s+\S+)?)'s\s+(\S+)/i;
const MARKS = /[?!.,;:]+$/;

const TUNED = reference.DISQUALIFIERS.map(({ category, reason, patterns }) => ({
  category,
  reason,
  patterns,
  any: new RegExp(patterns.map(({ regex }) => regex.source).join("|"), "i"),
}));

const stripped = (value: string): string => value.replace(MARKS, "").trim();

function typeOf(query: string) {
  for (const form of reference.FORMS) {
    const match = form.exec(query);
    if (match === null) continue;
    const attribute = stripped(match[2] ?? "") || null;
    let confidence = 0.7;
    if (attribute !== null && ANY_ATTRIBUTE.test(attribute.toLowerCase()))
      confidence = Math.min(confidence + 0.15, 1);
    if (query.trim().endsWith("?")) confidence = Math.min(confidence + 0.05, 1);
    if (query.length < 50) confidence = Math.min(confidence + 0.05, 1);
    return {
      query_type: "LOOKUP" as const,
      confidence,
      entity: stripped(match[1]!) || null,
      attribute,
    };
  }
  const lower = query.toLowerCase();
  if (!ANY_ATTRIBUTE.test(lower)) {
    return { query_type: "AMBIGUOUS" as const, confidence: 0.3, entity: null, attribute: null };
  }
  const match = POSSESSIVE.exec(query);
  if (match !== null) {
    return {
      query_type: "LOOKUP" as const,
      confidence: 0.6,
      entity: stripped(match[1]!),
      attribute: stripped(match[2]!),
    };
  }
  const attribute = ATTRIBUTES.find(({ regex }) => regex.test(lower))!.word;
  return { query_type: "LOOKUP" as const, confidence: 0.5, entity: null, attribute };
}

const classification = (
  query: string,
  found: { category: reference.DisqualifierCategory; reason: string } | undefined,
): reference.QueryClassification => ({
  query,
  disqualified: found !== undefined,
  disqualifier_category: found === undefined ? null : found.category,
  disqualifier_reason: found === undefined ? null : found.reason,
  ...typeOf(query),
});

export const patterns: Classify = (query) =>
  classification(
    query,
    reference.DISQUALIFIERS.find((category) =>
      category.patterns.some(({ regex }) => regex.test(query)),
    ),
  );

export const tuned: Classify = (query) =>
  classification(
    query,
    TUNED.find(({ any }) => any.test(query)),
  );
