// The text of a memory that a model embeds.

import { builtInText } from "nous-memory";
import { expect, test } from "vitest";

const textOf = (content_title: unknown, content_body: unknown) =>
  builtInText({ content_title, content_summary: null, content_body } as never);

test.each([
  ["a title above its text", "Tea", "Mira prefers it.", "Tea\nMira prefers it."],
  [
    "a title that begins the text once",
    "I like tea",
    "I like tea, and plums.",
    "I like tea, and plums.",
  ],
  ["a title that was cut within a word", "I like te…", "I like tea.", "I like tea."],
  ["a title that begins a word only", "Ann", "Annual report is due.", "Ann\nAnnual report is due."],
  [
    "a number that begins another",
    "Port 80.",
    "Port 8080 is open.",
    "Port 80.\nPort 8080 is open.",
  ],
  ["the words of a message without its role", "user: I like tea…", "I like tea.", "I like tea."],
  ["the name of a speaker", "Mira: I like tea…", "I like tea.", "Mira: I like tea."],
  ["the text of an object of JSON", "Item", '{"text":"Rex","secret":"1234"}', "Item\nRex"],
  ["an object of JSON without a text", "Item", '{"a":1}', 'Item\n{"a":1}'],
  ["what is a text, of another program", new Uint8Array([1]), "Rex", "Rex"],
  ["a title without a text", "Tea", null, "Tea"],
])("has %s", (_, title, body, text) => {
  expect(textOf(title, body)).toBe(text);
});

test("is made of long marks in linear work", () => {
  const marks = `${".".repeat(200_000)}x`;
  expect(textOf(marks, "y")).toHaveLength(30_000);
});
