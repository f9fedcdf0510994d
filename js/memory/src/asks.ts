// Rule: which texts ask and tell nothing, in any script.

/** Ends of questions and of other sentences, of any script. `;` asks in Greek, U+037E always. */
const QUESTION = /^[^.!?\n。！？؟՞።፧।]*[?？؟՞፧⁇⁈\u037e]+["”’»」』)\]]*$/u;
const GREEK_QUESTION = /^[^.!?;\n]*\p{Script=Greek}[^.!?;\n]*;$/u;
/** A longer text tells something. */
const MAX_QUESTION = 2_000;

/** Whether a text asks and tells nothing. */
export function isQuestion(text: string): boolean {
  const asked = text.trim();
  return asked.length <= MAX_QUESTION && (QUESTION.test(asked) || GREEK_QUESTION.test(asked));
}

/** Whether a text asks first: "What may I eat? I need it for a form." */
export const beginsWithQuestion = (text: string): boolean =>
  /^[^.!?\n。！？؟՞።፧।]*[?？؟՞፧⁇⁈\u037e]/u.test(text.trim());

/** Whether what was said ends with a question, whatever stands before. */
export const endsWithQuestion = (text: string): boolean =>
  /[?？؟՞፧⁇⁈\u037e]["”’»」』)\]]*$/u.test(text.slice(-100).trimEnd());
