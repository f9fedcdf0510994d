// The places of words and passages in a text, over many scripts: what a place holds is split into
// words by the reference, and compared with the reasons and passages of the reference.

import fc from "fast-check";
import { MemoryIndex } from "nous-wasm";
import { expect, test } from "vitest";
import type { TextSpan } from "../../js/engine/src/memory/types.ts";
import { passagesOf, wordsOf } from "../../js/reference/evidence.ts";
import { NOW } from "../../js/reference/inputs.ts";
import { heldIn, shown } from "../../js/reference/reading.ts";
import { runs } from "../support/amount.ts";
import { question, text } from "./inputs/evidence.ts";
import { fakeEmbedder } from "./inputs/word-vectors.ts";

const SCRIPTS = [
  ..."Größe naïve Straße ИГРАЕТ Ελλάδα İstanbul עברית العربية हिन्दी ราคาทองคำ 比特币价格 価格は 한국어".split(
    " ",
  ),
  ..."é e\u0301 𝒜𝒷 ☂ → \ud83d ’s don’t".split(" "),
  ..."v2.1.0 C++ -5 a.b userToken NSURLSession הדרכון الكتاب ｶﾞｿﾘﾝ 책은 鍵は 🍕 ½ ﬁnd".split(" "),
];
const mixed = fc
  .array(fc.tuple(fc.constantFrom(...SCRIPTS), fc.constantFrom(" ", "", ". ", "。", "\n", "-")), {
    maxLength: 90,
  })
  .map((pieces) => pieces.flat().join(""));
const part = fc.oneof(text, mixed);

test("spans hold the words and the passage of the reasons", () => {
  let [seen, later] = [0, 0];
  fc.assert(
    fc.property(part, part, fc.oneof(question, mixed), (title, body, asked) => {
      const index = new MemoryIndex({ embedder: fakeEmbedder(16) });
      index.upsert([{ id: "m", title, text: body }], { now: NOW });
      if (index.has("m") && index.textCount === 1) {
        const given = { title, text: body };
        const { words, passage, ...rest } = index.why("m", asked, { now: NOW, text: given });
        const slice = ({ field, start, end }: TextSpan) => given[field].slice(start, end);
        const all = [...heldIn(title), ...heldIn(body)];
        for (const { found, spans } of words) {
          const held = spans!.flatMap((span) => heldIn(slice(span)));
          const named = (among: typeof all) => among.filter(({ name }) => shown(name) === found);
          // A word counts for more than the same within another one, whose places are not given then.
          const isWord = named(all).every(({ kind }) => kind === "word");
          if (isWord) expect(named(held).length).toBe(named(all).length);
          else expect(named(held).length).toBeGreaterThan(0);
          if (found === null) expect(spans).toEqual([]);
          for (const [at, { field, start, end }] of spans!.entries()) {
            expect(end).toBeGreaterThan(start);
            const before = spans![at - 1];
            if (before?.field === field) expect(start).toBeGreaterThan(before.end);
          }
          seen += spans!.length;
        }
        const expected = passagesOf(title, body)[passage.index]!.map(({ word }) => word);
        expect(passage.spans!.flatMap((span) => wordsOf(slice(span)))).toEqual(expected);
        later += Number(passage.index > 0);
        // Without the text the reasons are the same, without places.
        const plain = index.why("m", asked, { now: NOW });
        const { spans: _, ...place } = passage;
        expect(plain).toEqual({
          ...rest,
          words: words.map(({ spans: _, ...word }) => word),
          passage: place,
        });
      }
      index.free();
    }),
    runs(400),
  );
  expect(Math.min(seen, later)).toBeGreaterThan(5);
});
