// Lives of 60 turns: an agent stores what its user says by /v1/remember and asks for a prompt at each
// turn. Measured: in how many of the turns that need something said before it is in the prompt, beside
// the last messages, SQLite's full text, and a search alone, in the same tokens.

import { DatabaseSync } from "node:sqlite";
import { tokensOf } from "nous-memory";
import { describe, expect, test } from "vitest";
import { LIVES, type Life } from "./support/lives.ts";
import { type Client, sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

/** The tokens of each prompt: a whole life of 60 turns would fit into 750. */
const TOKENS = 150;

/** Returns the first lines that fit into the tokens. */
function within(lines: readonly string[]): string {
  const kept: string[] = [];
  let tokens = 0;
  for (const line of lines) {
    tokens += tokensOf(line) + 1;
    if (tokens > TOKENS) break;
    kept.push(line);
  }
  return kept.join("\n");
}

/** Full text with stems, as a newcomer would set it up: any of the words, the best first. */
class FullText {
  readonly #db = new DatabaseSync(":memory:");

  constructor() {
    this.#db.exec("CREATE VIRTUAL TABLE said USING fts5(text, tokenize = 'porter unicode61')");
  }

  add(text: string): void {
    this.#db.prepare("INSERT INTO said VALUES (?)").run(text);
  }

  find(question: string): string[] {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length === 0) return [];
    const match = words.map((word) => `"${word}"`).join(" OR ");
    const rows = this.#db
      .prepare("SELECT text FROM said WHERE said MATCH ? ORDER BY rank LIMIT 50")
      .all(match) as { text: string }[];
    return rows.map(({ text }) => text);
  }
}

async function lived(own: Client, { sessions }: Life) {
  const said: string[] = [];
  const fullText = new FullText();
  const found = { prompt: 0, lastMessages: 0, fullText: 0, searchAlone: 0 };
  const missed: string[] = [];
  let [turns, asked] = [0, 0];
  for (const [day, ...script] of sessions) {
    const messages: { role: string; content: string }[] = [];
    for (const [place, turn] of script.entries()) {
      turns += 1;
      const { say, needs } = typeof turn === "string" ? { say: turn, needs: [] } : turn;
      if (needs.length > 0) {
        asked += 1;
        const holds = (text: string) => needs.some((words) => text.includes(words));
        const { body } = await own.ask("POST /context", {
          input: say,
          messages,
          max_tokens: TOKENS,
        });
        // What this session said already is in the conversation that a model sees.
        const conversation = messages.map(({ content }) => content).join("\n");
        if (holds(body.prompt) || holds(conversation)) found.prompt += 1;
        else missed.push(say);
        if (holds(within(said.toReversed()))) found.lastMessages += 1;
        if (holds(within(fullText.find(say)))) found.fullText += 1;
        const search = await own.ask("POST /search", { query: say, limit: 50 });
        const lines = search.body.data.map(
          ({ content_title, content_body }: Record<string, string | null>) =>
            `${content_title} ${content_body ?? ""}`,
        );
        if (holds(within(lines))) found.searchAlone += 1;
      }
      const created_at = `${day}T09:0${place}:00Z`;
      const message = { role: "user", content: say };
      const { status } = await own.ask("POST /remember", {
        messages: [{ ...message, created_at }],
        session: day,
      });
      expect(status).toBe(200);
      messages.push(message);
      said.push(say);
      fullText.add(say);
    }
  }
  return { turns, asked, found, missed };
}

describe("a scripted life", () => {
  test.each(LIVES)("of $name has what it needs in at least 85 % of the turns", async (life) => {
    const { turns, asked, found, missed } = await lived(client(), life);
    expect(turns).toBe(60);
    expect(asked).toBeGreaterThanOrEqual(15);
    console.log(
      `${life.name}: ${JSON.stringify(found)} of ${asked}; missed: ${missed.join(" | ")}`,
    );
    expect(found.prompt / asked, missed.join("\n")).toBeGreaterThanOrEqual(0.85);
    expect(found.prompt).toBeGreaterThan(found.lastMessages);
  });
});
