// The engine in a page. Vite copies the .wasm beside the bundle: `npx vite build`.

import { init, MemoryIndex, TextIndex, understand } from "nous-wasm";

await init();
const memories = [
  { id: "m1", subtype: "custom:lesson", title: "Deploys on Friday fail more often" },
  { id: "m2", subtype: "custom:playbook", title: "Roll back by switching the alias" },
  { id: "m3", subtype: "custom:turn_summary", title: "Mira prefers tea" },
];
const titles = new Map(memories.map(({ id, title }) => [id, title]));
const index = new MemoryIndex();
const texts = new TextIndex();
index.upsert(memories);
texts.upsert(memories);

const question = document.querySelector("#question");
const answers = document.querySelector("#answers");

function answer() {
  const { terms } = understand(question.value, { terms: "unicode" });
  const { ranking } = index.search({ bm25: texts.search(terms), limit: 5 });
  const lines = ranking.ids.map(
    (id, place) => `${titles.get(id)} (${ranking.scores[place].toFixed(3)})`,
  );
  answers.replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
}
question.addEventListener("input", answer);
answer();
