// The words of a piece of HTML, with a line for each block. It knows no document: the exports hold
// plain blocks, lists and tables.

const BLOCKS = "p|div|li|ul|ol|h[1-6]|tr|table|pre|blockquote|hr";
const BREAK = /<br\s*\/?>/gi;
const NO_WORDS = /<(script|style|head|template)\b[\s\S]*?(?:<\/\1\s*>|$)|<!--[\s\S]*?(?:-->|$)/gi;
const NAMES: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ensp: " ", emsp: " " },
  ...{ ndash: "–", mdash: "—", hellip: "…", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”" },
  ...{ laquo: "«", raquo: "»", bull: "•", middot: "·", euro: "€", copy: "©", deg: "°" },
  ...{ times: "×", shy: "", zwj: "\u200d", zwnj: "\u200c" },
};
const LAST_CODE_POINT = 0x10ffff;

/** Returns the words of HTML. */
export function textOfHtml(html: string): string {
  const plain = html.replace(NO_WORDS, "").replace(/\s+/g, " ").replace(BREAK, "\n");
  // After the last ">" no tag ends: looking for it from each "<" would take the square of the time.
  const end = plain.lastIndexOf(">") + 1;
  const lines = plain
    .slice(0, end)
    .replace(/<li\b[^>]*>/gi, "\n- ")
    .replace(/<\/t[dh]\s*>/gi, " ")
    .replace(new RegExp(`</?(?:${BLOCKS})\\b[^>]*>`, "gi"), "\n")
    .replace(/<\/?[a-z][^>]*>/gi, "");
  return withoutEntities(lines + plain.slice(end))
    .split("\n")
    .map((line) => line.replace(/[ \t\u00a0]+/g, " ").trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Returns a text with the characters that entities of HTML stand for. */
export const withoutEntities = (text: string): string =>
  text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi, (entity, hex, decimal, name) => {
    if (name !== undefined) return NAMES[String(name).toLowerCase()] ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code === 0 || code > LAST_CODE_POINT ? "\ufffd" : String.fromCodePoint(code);
  });
