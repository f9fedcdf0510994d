// Whether most texts are in another language than English, over whole memories of several writers.

import { isOtherLanguage } from "nous-memory";
import { expect, test } from "vitest";
import { lifeStores } from "../../benches/quality/changes/stores.ts";
import { Languages } from "../../js/server/src/embeddings/languages.ts";

test.each(lifeStores().map(({ name, memories }) => [name, memories] as const))(
  "the language of %s is told after twenty texts, if it is not English",
  (_, memories) => {
    const counts = new Languages();
    const told = memories.map(({ text }) => counts.note(text));
    const isEnglish = memories[0]!.language === "en";
    expect(told.filter(Boolean)).toHaveLength(isEnglish ? 0 : 1);
    if (!isEnglish) expect(told.indexOf(true)).toBeLessThan(40);
  },
);

test("texts of other scripts are in another language, and short ones do not tell", () => {
  for (const text of ["今日はとても寒い。", "Паром уходит в полдень.", "يغادر القارب ظهرا"])
    expect(isOtherLanguage(text)).toBe(true);
  const terse = [
    "job: designer, agency on Lumen street",
    "standup: Mon 9:30 EST, Zoom link pinned",
    "laptop: Ubuntu OS, del key stuck, mi band paired",
    "sister: Kate, Chicago IL, single mum",
  ];
  for (const text of ["", "42", "Node 20.11", "Ja, gerne.", ...terse])
    expect(isOtherLanguage(text, 5)).toBeUndefined();
  expect(isOtherLanguage("The port 5544 is that of the database.")).toBe(false);
});
