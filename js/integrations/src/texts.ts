// Memories whose texts other programs read, too: their bodies are JSON with a text for searches.
//
// A memory that no search is to find has no words. The memories beside it, and questions such as "what
// happened today?", would bring it up all the same: so it has a session of its own, and an event in the
// year 1. Questions for the last hours, or for an open past ("before 2020"), may still list it.
//
// The Python client writes the same bodies, so that programs in both languages share items.

const MAX_TITLE = 200;
/** Characters of a text that searches read. A body may have about a million. */
const MAX_SEARCHED = 100_000;
/** The server's limit of a question. */
export const MAX_QUESTION = 10_000;
/** Searches find no word in it. */
const UNREAD = "-";
const LONG_AGO = "0001-01-01T00:00:00Z";

/** The fields of a memory that hold its text. */
export interface Texts {
  content_title: string;
  content_body: string;
  session?: string;
  event_time?: string;
}

/**
 * Returns the fields of a memory with a text, and a value that searches do not read. `name` is the name
 * of the value in the body. `id` names the memory's own session, if no search is to find it.
 */
export function textsOf(
  text: string,
  name: string,
  value: unknown,
  { id, session }: { id: string; session?: string },
): Texts {
  const searched = begin(text, MAX_SEARCHED).trim() || UNREAD;
  const content_body = JSON.stringify({ text: searched, [name]: value });
  const found = { content_title: titleOf(searched), content_body };
  if (searched === UNREAD) return { ...found, session: id, event_time: LONG_AGO };
  return session === undefined ? found : { ...found, session };
}

/** Returns a short text whole, and of a long one its beginning, up to a blank. */
function titleOf(text: string): string {
  const line = countOf(text) > MAX_TITLE ? text.split("\n", 1)[0]! : text;
  if (countOf(line) <= MAX_TITLE) return line.trim() || UNREAD;
  const cut = begin(line, MAX_TITLE);
  const blank = cut.lastIndexOf(" ");
  return (blank > 0 ? cut.slice(0, blank) : cut).trim() || UNREAD;
}

/** Returns how many characters a text has: those outside the first plane count once. */
export const countOf = (text: string): number => Array.from(text).length;

/** Returns the first characters of a text. */
export const begin = (text: string, max: number): string =>
  text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join("");

/** Returns the status of a refusal, whichever copy of the client threw it. */
export const statusOf = (error: unknown): unknown => (error as { status?: unknown } | null)?.status;

/** Does work on a memory that may have gone meanwhile. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
