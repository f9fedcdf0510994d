// The words of a memory, as prompts and rules read them.

import { titledText } from "./embedding-text.ts";
import { textOf } from "./index-rows.ts";
import { shownBody } from "./json-objects.ts";

/** What a row says, as far as a prompt shows it. */
export interface ShownRow {
  content_title: string | null;
  content_summary: string | null;
  content_body: string | null;
}

/** Returns a row whose texts are texts: another program may have stored bytes. */
export const withTexts = (row: Readonly<Record<keyof ShownRow, unknown>>): ShownRow => ({
  content_title: textOf(row.content_title),
  content_summary: textOf(row.content_summary),
  content_body: textOf(row.content_body),
});

/** Returns the words of a memory: its title, and its text unless that begins with the title. */
export const wordsOfMemory = ({ content_title, content_summary, content_body }: ShownRow): string =>
  titledText(content_title, content_summary || shownBody(content_body), ": ");
