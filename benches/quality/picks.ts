// `npm run quality -- picks --set FILE …`: measures which share of the needed memories a prompt holds,
// and what it costs in tokens: by the rule of `picking.ts`, filled, with the first memories alone, and
// with a least probability.

import { basename } from "node:path";
import { loadEmbedderSync } from "nous-embedder";
import {
  type IndexedMemory,
  Memory,
  memoryNodeOf,
  newRowOf,
  promptOfTurn,
  type Turn,
  textsOf,
  typeOfGuess,
} from "nous-memory";
import { MemoryIndex } from "nous-wasm";
import { LIVES, type Life } from "../../tests/server/support/lives.ts";
import { whole } from "../js/units.ts";
import { table, today, writeInto, writeResults } from "../results.ts";
import { lifeStores } from "./changes/stores.ts";
import { guessesOf, written } from "./conflicts.ts";
import { setsAndWriting } from "./options.ts";
import { generalSet } from "./own-sets.ts";
import { clustersOf, type QuestionSet, type SetQuestion } from "./question-set.ts";
import { readSet } from "./read-set.ts";
import { Sentences, sentenceOf } from "./sentences.ts";
import { TABLES } from "./token-tables.ts";

const USAGE = `npm run quality -- picks               own memories, and lives
    --set FILE …                        and the questions of files: JSON, or JSON compressed by gzip
    --no-write                          prints the tables, writes nothing`;
/** The page that quotes the figures. */
const PAGE = "docs/quality.md";

const HOW = `\`npm run quality -- picks --set FILE …\`: every question is asked as a turn of \`promptOfTurn\`, with the embeddings of the sentence
transformer, in prompts of 1,500 tokens. *Needed* is the mean share of a question's answers that are in its prompt; *tokens* and *lines* are
means of the same prompts. *Nothing* are the tokens for turns that nothing stored answers. The *rule* is the default. *Filled* is \`min_score: 0\`, as
prompts were before; *no faint guesses* has only those guesses of what replaces what that are told; *first* has \`max_lines\` besides; *from* has another \`min_score\`. The *new user's memory* is sixty memories of the general memory,
drawn sixteen times, as they came and loaded at once; beside questions without an answer it is asked for things that have nothing to do with it, such as
“${turnsAboutNothing().slice(0, 2).join("” and “")}”. *Lives* are the turns of three scripted lives that need something said before, with the session's messages.`;

/** How a prompt is limited, and whether its memory has faint guesses. */
const WAYS: readonly (readonly [string, Partial<Turn>, hasNoFaint?: boolean])[] = [
  ["rule", {}],
  ["filled", { min_score: 0 }],
  ["rule, no faint guesses", {}, true],
  ...[5, 10, 20].map((max_lines) => [`first ${max_lines}`, { min_score: 0, max_lines }] as const),
  ...[0.005, 0.01, 0.02, 0.05, 0.1].map(
    (min_score) => [`from ${min_score}`, { min_score }] as const,
  ),
];

/** The turns of a part of the table, in prompts of one way. */
interface Measured {
  needed: number[];
  tokens: number[];
  lines: number[];
  nothing: number[];
}

/** Turns of any user that no memory of the general memory answers. */
function turnsAboutNothing(): string[] {
  return [
    ...["Write a haiku about the sea", "What is the capital of Mongolia?", "Explain how TCP works"],
    ...["Translate 'good morning' into French", "What is 17 times 23?", "Make it shorter please"],
    ...["Who wrote Hamlet?", "Fix the bug in this function", "Write a poem about autumn leaves"],
  ];
}

async function run(files: readonly string[], writes: boolean): Promise<void> {
  const models = {
    embedder: loadEmbedderSync(TABLES["english-128"]),
    sentences: await Sentences.load(),
  };
  const general = generalSet();
  const parts: [string, Measured[]][] = [
    ["general", measuredOn([general], models)],
    ["a new user's memory", measuredOn(newUsers(general, false), models)],
    ["the same, loaded at once", measuredOn(newUsers(general, true), models)],
    ...[1_500, 150].map((tokens): [string, Measured[]] => [
      `lives, ${whole(tokens)} tokens`,
      WAYS.map(([, limits]) => livedBy(limits, tokens, models)),
    ]),
    ...storesByKind().map(([name, sets]): [string, Measured[]] => [name, measuredOn(sets, models)]),
    ...files.map((file): [string, Measured[]] => [
      basename(file).replace(/\.json(\.gz)?$/, ""),
      measuredOn(readSet(file), models),
    ]),
  ];
  const head = ["prompt", "needed", "tokens", "lines", "nothing"];
  const tables = parts.map(([name, measured]) => {
    const rows = measured.map(({ needed, tokens, lines, nothing }, way) => [
      WAYS[way]![0],
      mean(needed).toFixed(3),
      whole(Math.round(mean(tokens))),
      mean(lines).toFixed(1),
      nothing.length === 0 ? "" : whole(Math.round(mean(nothing))),
    ]);
    return `${name}, ${whole(measured[0]!.needed.length)} questions:\n\n${table(head, rows)}`;
  });
  const text = tables.join("\n\n");
  console.log(text);
  if (!writes) return;
  const path = writeResults("picks", "Which memories a prompt shows", `${HOW}\n\n${text}`);
  const rows = parts.map(([name, [rule, filled]]) => [
    name,
    whole(rule!.needed.length),
    ...[rule!, filled!].flatMap(({ needed, tokens, lines, nothing }) => [
      mean(needed).toFixed(3),
      whole(Math.round(mean(tokens))),
      mean(lines).toFixed(1),
      nothing.length === 0 ? "" : whole(Math.round(mean(nothing))),
    ]),
  ]);
  const names = head.slice(1);
  const short = table(
    ["set", "questions", ...names, ...names.map((name) => `filled: ${name}`)],
    rows,
  );
  writeInto(PAGE, "figures of picks", `${short}\n\nMeasured on ${today()}.`);
  console.log(`\nwritten to ${path}, in short to ${PAGE}`);
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(numbers.length, 1);

interface Models {
  readonly embedder: ReturnType<typeof loadEmbedderSync>;
  readonly sentences: Sentences;
}

/** A memory with the embeddings of the transformer, as the server has it. */
class Held implements IndexedMemory {
  readonly #memory: Memory;
  readonly #sentences: Sentences;
  readonly index: MemoryIndex;
  now = 0;

  constructor({ embedder, sentences }: Models) {
    this.#sentences = sentences;
    this.#memory = new Memory({ embedder, clock: () => this.now });
    const { dimensions } = sentences;
    this.index = new MemoryIndex({ embedder, dimensions, embeddings: "i8" });
  }

  get engine() {
    return this.#memory.engine;
  }

  get preset() {
    return this.#memory.preset;
  }

  embeddingOf(question: string): Float32Array | undefined {
    return this.#sentences.embed(question, "question") ?? undefined;
  }

  row(id: string) {
    return this.#memory.row(id);
  }

  all() {
    return this.#memory.all();
  }

  add({ memories }: Pick<QuestionSet, "memories">): void {
    this.#sentences.embedAll(
      memories.map(({ title = "", text }) => sentenceOf({ title, text })),
      "passage",
    );
    for (const memory of memories) {
      const { id, text, title, subtype = null, created_at, event_time } = memory;
      const given = {
        ...{ id, type: subtype === null ? "episode" : "concept", subtype, created_at, event_time },
        ...{ content_title: title ?? text, content_body: title === undefined ? null : text },
      };
      const row = {
        ...newRowOf(given, { id, now: created_at, stability: 30 }),
        ...{ sequence: this.#memory.next, embedding_vector: null },
        clusters: JSON.stringify(clustersOf(memory)),
      };
      this.#memory.put([row]);
      const embedding = this.#sentences.embed(sentenceOf({ title: title ?? "", text }), "passage");
      const node = { ...memoryNodeOf(row, 0, this.now), ...textsOf(row) };
      this.index.upsert([{ ...node, embedding }], { now: this.now });
    }
  }

  /** Returns the ids of the memories in the prompt of a turn, and its tokens. */
  prompt(turn: Turn): { ids: string[]; prompt: string; tokens: number } {
    const { recalled, prompt, tokens } = promptOfTurn(this, turn);
    return { ids: recalled.map(({ id }) => id), prompt, tokens };
  }

  free(): void {
    this.index.free();
    this.#memory.index.free();
  }
}

const nothingYet = (): Measured => ({ needed: [], tokens: [], lines: [], nothing: [] });

function measuredOn(sets: readonly QuestionSet[], models: Models): Measured[] {
  const measured = WAYS.map(nothingYet);
  for (const set of sets) {
    const last = Math.max(...set.memories.map(({ created_at }) => Date.parse(created_at)));
    const guesses = guessesOf(written(set, models));
    const [all, told] = [guesses, guesses.filter(({ type }) => type !== typeOfGuess("faint"))].map(
      (edges) => {
        const held = new Held(models);
        held.now = last;
        held.add(set);
        held.index.link(edges);
        return held;
      },
    ) as [Held, Held];
    for (const { text, answers, now } of set.questions) {
      all.now = told.now = now === undefined ? last : Date.parse(now);
      const needed = new Set(answers);
      for (const [way, [, limits, hasNoFaint = false]] of WAYS.entries()) {
        const { ids, tokens } = (hasNoFaint ? told : all).prompt({ input: text, ...limits });
        const one = measured[way]!;
        if (needed.size === 0) one.nothing.push(tokens);
        else {
          one.needed.push(ids.filter((id) => needed.has(id)).length / needed.size);
          one.tokens.push(tokens);
          one.lines.push(ids.length);
        }
      }
    }
    all.free();
    told.free();
  }
  return measured;
}

/** Returns the stores with questions of some kinds, those that are held out apart. */
function storesByKind(): [string, QuestionSet[]][] {
  const kinds = [["now"], ["fact", "nothing"], ["before"], ["statement", "task", "aside"]];
  return [false, true].flatMap((isHeld) =>
    kinds.map((some): [string, QuestionSet[]] => {
      const stores = lifeStores().filter(
        ({ held, questions }) => held === isHeld && questions.length > 0,
      );
      const sets = stores.map((store) => ({
        ...store,
        questions: store.questions.filter(({ kind }) => some.includes(kind)),
      }));
      return [`stores${isHeld ? ", held out" : ""}: ${some.join(" and ")}`, sets];
    }),
  );
}

/** The stores of new users, and the memories of each. */
const USERS = 16;
const OF_A_USER = 60;
/** The questions without an answer that a new user asks. */
const UNANSWERED = 12;

/** Draws memories of new users from a set, with the questions that each can answer. */
function newUsers(set: QuestionSet, isLoaded: boolean): QuestionSet[] {
  // Drawn by a fixed seed, so that both ways and later measurements ask the same.
  let state = 7;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  const some = <T>(list: readonly T[], count: number): T[] =>
    list
      .map((one) => ({ one, at: random() }))
      .sort((a, b) => a.at - b.at)
      .slice(0, count)
      .map(({ one }) => one);
  return Array.from({ length: USERS }, (_, user) => {
    const memories = some(set.memories, OF_A_USER).sort(
      (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at),
    );
    const last = Date.parse(memories.at(-1)!.created_at);
    const ids = new Set(memories.map(({ id }) => id));
    const asked = ({ now, ...question }: SetQuestion): SetQuestion => question;
    const isKnown = ({ answers }: SetQuestion) => answers.some((id) => ids.has(id));
    const isAnswered = ({ answers, kind }: SetQuestion) =>
      kind !== "time" && answers.length > 0 && answers.every((id) => ids.has(id));
    const unanswered = some(
      set.questions.filter((question) => !isKnown(question)),
      UNANSWERED,
    );
    const aboutNothing = turnsAboutNothing().map(
      (text): SetQuestion => ({ text, answers: [], kind: "nothing", part: "dev" }),
    );
    return {
      name: `user ${user}`,
      memories: memories.map(({ cluster, ...memory }, place) =>
        isLoaded
          ? { ...memory, created_at: new Date(last - (OF_A_USER - place) * 7).toISOString() }
          : { ...memory, ...(cluster === undefined ? {} : { cluster }) },
      ),
      questions: [
        ...set.questions.filter(isAnswered).map(asked),
        ...unanswered.map((question) => asked({ ...question, answers: [] })),
        ...aboutNothing,
      ],
    };
  });
}

/** Lives all lives: what a user says is stored as an episode of the day's session. */
function livedBy(limits: Partial<Turn>, max_tokens: number, models: Models): Measured {
  const measured = nothingYet();
  for (const { sessions } of LIVES satisfies readonly Life[]) {
    const held = new Held(models);
    for (const [day, ...script] of sessions) {
      const messages: { role: string; content: string }[] = [];
      for (const [place, turn] of script.entries()) {
        const { say, needs } = typeof turn === "string" ? { say: turn, needs: [] } : turn;
        const created_at = `${day}T09:0${place}:00Z`;
        held.now = Date.parse(created_at);
        if (needs.length > 0) {
          const { prompt, tokens, ids } = held.prompt({
            input: say,
            messages,
            max_tokens,
            ...limits,
          });
          const holds = (text: string) => needs.some((words) => text.includes(words));
          const isSaid = messages.some(({ content }) => holds(content));
          measured.needed.push(isSaid || holds(prompt) ? 1 : 0);
          measured.tokens.push(tokens);
          measured.lines.push(ids.length);
        }
        const id = `${day} ${place}`;
        held.add({
          memories: [{ id, text: say, title: `user: ${say}`, created_at, cluster: day }],
        });
        messages.push({ role: "user", content: say });
      }
    }
    held.free();
  }
  return measured;
}

const { files, writes } = setsAndWriting(USAGE);
await run(files, writes);
