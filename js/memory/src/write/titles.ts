// Rule: the title of the memory that a piece of a text becomes.

import type { Piece } from "./split.ts";

/** A text of so many characters is a title alone. */
const SHORT = 100;
const BETWEEN = " › ";

/**
 * Returns the title of a piece: the given title and the headings above the piece; without them the piece
 * itself if it is short, else its first sentence.
 */
export function titleOfPiece(given: string | null | undefined, piece: Piece): string {
  const { title, isBelowHeading, text } = piece;
  if (given == null) {
    if (isBelowHeading) return title;
    return text.length <= SHORT && !text.includes("\n") ? text : title;
  }
  return isBelowHeading && !given.includes(title) ? `${given}${BETWEEN}${title}` : given;
}
