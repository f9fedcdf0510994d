// A conversation is cut into windows that a language model reads one by one. Small local models
// read about 4,000 tokens at once, with the prompt and the answer.

/** A message as the model reads it. */
export interface ReadMessage {
  /** Its place in the request, from 1. */
  message: number;
  speaker: string;
  /** When it was said, in ISO 8601. */
  time?: string;
  text: string;
  /** It was in the window before, and helps to understand this one. */
  earlier?: true;
}

/** The most characters of a window, and the most windows of a request. */
export const MAX_OF_A_WINDOW = 8_000;
export const MAX_WINDOWS = 20;
/** About the characters of a message beside its text. */
const AROUND_A_TEXT = 60;
/** The messages of a window that the next one repeats, and how many characters of each. */
const REPEATED = 2;
const MAX_REPEATED = 300;

/**
 * Cuts a conversation into windows, in order. A message that is longer than a window continues in
 * the next one. Blank messages are left out.
 */
export function windowsOf(messages: readonly ReadMessage[]): ReadMessage[][] {
  const windows: ReadMessage[][] = [];
  let open: ReadMessage[] = [];
  let size = 0;
  for (const part of messages.flatMap(partsOf)) {
    const more = part.text.length + AROUND_A_TEXT;
    if (open.length > 0 && size + more > MAX_OF_A_WINDOW) {
      windows.push(open);
      open = [];
      size = 0;
    }
    open.push(part);
    size += more;
  }
  if (open.length > 0) windows.push(open);
  return windows.map((window, place) => [...endOf(windows[place - 1] ?? []), ...window]);
}

const endOf = (window: readonly ReadMessage[]): ReadMessage[] =>
  window
    .slice(-REPEATED)
    .map((one) => ({ ...one, text: one.text.slice(-MAX_REPEATED), earlier: true }));

/** Cuts a message at blanks, so that each part fits into a window. */
function partsOf(message: ReadMessage): ReadMessage[] {
  const parts: ReadMessage[] = [];
  const max = MAX_OF_A_WINDOW - AROUND_A_TEXT;
  let rest = message.text.trim();
  while (rest.length > max) {
    const blank = rest.slice(0, max).search(/\s\S*$/);
    const end = blank > max / 2 ? blank : max;
    parts.push({ ...message, text: rest.slice(0, end) });
    rest = rest.slice(end).trimStart();
  }
  return rest === "" ? parts : [...parts, { ...message, text: rest }];
}
