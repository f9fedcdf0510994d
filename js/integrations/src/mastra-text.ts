// The words of a message of Mastra.

/** The content of a message as Mastra keeps it, as far as it is read. */
export type MastraContent =
  | string
  | { parts?: readonly { type: string; text?: string }[]; content?: unknown };

/** Returns the texts of a message, and nothing of calls of tools and files. */
export function textOf(content: MastraContent): string {
  if (typeof content === "string") return content;
  const texts = (content.parts ?? []).flatMap(({ type, text }) =>
    type === "text" && text !== undefined ? [text] : [],
  );
  return texts.length === 0 && typeof content.content === "string"
    ? content.content
    : texts.join("\n");
}
