// The reason why a line could not be read, as a sentence.

/**
 * Returns a reason as a sentence. Reasons of lines continue "It …" or "The field …": "is not JSON",
 * "type: is missing". Others are sentences already.
 */
export function whyInWords(why: string): string {
  const [, field, fault] = /^(\w+): ([a-z].*)$/su.exec(why) ?? [];
  const told =
    field !== undefined ? `The field “${field}” ${fault}` : /^[a-z]/.test(why) ? `It ${why}` : why;
  return /[.!?]$/.test(told) ? told : `${told}.`;
}
