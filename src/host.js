// What a JavaScript engine has, and the module would have to carry.

/**
 * The `text` of a JSON object, by the host's own parser; undefined when there is none, or no JSON.
 */
export function text_of_json(body) {
  try {
    const { text } = JSON.parse(body);
    return typeof text === "string" ? text : undefined;
  } catch (error) {
    // A stack that is full says nothing about the body.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Lower case by the tables of the host. */
export function lower_case(text) {
  return text.toLowerCase();
}

/**
 * Canonical decomposition, each character in lower case. A capital sigma is replaced first: the
 * host's lower case of one at the end of a word is another letter.
 */
export function decomposed_lower_case(text) {
  return text.normalize("NFD").replaceAll("Σ", "σ").toLowerCase();
}

/** Tokens of a text by the caller's own function, which does not throw. */
export function count_tokens(count, text) {
  return count(text);
}

/** Adds the vector of a word to a sum by the caller's own function, which does not throw. */
export function add_word(add, word, length, sum) {
  return add(word, length, sum);
}
