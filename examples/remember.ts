// Remembers texts and a conversation, and writes the prompt of a turn: in Node, and in a browser.

import { Memory, promptOfTurn, remember } from "nous-memory";
import { init } from "nous-wasm";

await init();
const memory = new Memory();

const { stored } = remember(memory, {
  memories: [
    "Mira eats no dairy since March.",
    "We chose PostgreSQL because of row-level security.",
    "To deploy Skerry, run make release, then tag the commit.",
    "The API allows 300 requests a minute.",
  ],
});
for (const { title, type } of stored) console.log(`${type}: ${title}`);

// What a memory says already is not stored again.
console.log("again:", remember(memory, "mira eats NO dairy, since march").stored[0]?.why);

// A correction is told, and nothing is hidden by itself. `replaces` names older memories that it seems
// to replace; here the program knows which.
const [newer] = remember(memory, "Actually, the API allows 60 requests a minute now.").stored;
console.log("corrects:", newer?.is_correction);
const older = stored.at(-1)!;
memory.link([{ id: "e1", type: "supersedes", source_id: newer!.id, target_id: older.id }]);

// What the user tells of themselves describes the user. Greetings say nothing.
const talk = remember(memory, {
  session: "today",
  messages: [
    { role: "user", content: "Hi!" },
    { role: "user", content: "I am allergic to walnuts." },
  ],
});
console.log("skipped:", talk.skipped);

const { prompt, tokens, left_out } = promptOfTurn(memory, {
  input: "How many requests a minute may I send to the API?",
  identity: "You are an assistant with a memory.",
  max_tokens: 200,
});
console.log(prompt);
console.log(tokens <= 200, left_out.map(({ reason }) => reason).join(", "));

// Rows and edges are plain data: keep them where you like.
const saved = JSON.stringify({ rows: [...memory.all()], edges: [...memory.edges()] });
const again = new Memory(JSON.parse(saved));
console.log("kept:", [...again.all()].length);
