// What a JavaScript engine has, and the module would have to carry.

/**
 * Canonical decomposition, each character in lower case. A capital sigma is replaced first: the
 * host's lower case of one at the end of a word is another letter.
 */
export function decomposed_lower_case(text) {
  return text.normalize("NFD").replaceAll("Σ", "σ").toLowerCase();
}
