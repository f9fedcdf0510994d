// The marks before the words of a line: of a list, a quotation, a heading or a box to tick.

const MARKS = /^(?:\s+|[#>*+-]+\s+|\d{1,9}[.)]\s+|\[[ xX]\]\s+)+/;

/** Returns a text without the marks before its first word. */
export const withoutMarksOfLine = (text: string): string => text.replace(MARKS, "");
