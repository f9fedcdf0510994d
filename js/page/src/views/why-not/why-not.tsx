// Why not?: the rank of a memory for a question, the evidence that it lacks against the first
// answer, and questions that find it.

import { linkTo, param, question } from "../../app/address.ts";
import { counted, ordinal, percent } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import type { Finder, WhyNot as Reasoned, Shown } from "../../memory/records.ts";
import { MemoryCard } from "../../parts/card.tsx";
import { EvidenceTable } from "../../parts/evidence-bar.tsx";
import { Waiting } from "../../parts/loading.tsx";
import { Values } from "../../parts/values.tsx";
import { askedQuestion } from "../ask/suggestions.ts";
import { Differences } from "./differences.tsx";
import { MemoryBox } from "./memory-box.tsx";
import { Words } from "./words.tsx";

/** The memory that the address names. */
const chosen = param("id", "");

/** The content of the view: a memory, and the question about it. */
interface Found {
  id: string;
  asked: string;
  /** Undefined if there is no such memory. */
  reasoned: Reasoned | undefined;
}

/**
 * Looks at a memory; if none is chosen, at the second answer, so that the view opens on one. Null if
 * there is no answer.
 */
async function lookAt(id: string, asked: string): Promise<Found | null> {
  const own = id === "" ? await exampleFor(asked) : id;
  if (own === undefined) return null;
  return { id: own, asked, reasoned: await memory.whyNot({ id: own, question: asked }) };
}

async function exampleFor(asked: string): Promise<string | undefined> {
  const { answers } = await memory.ask({ question: asked, limit: 2 });
  return answers.at(-1)?.card.id;
}

export default function WhyNot() {
  const asked = askedQuestion();
  const looked = useLive(() => {
    const text = askedQuestion();
    const id = chosen.value;
    return text.trim() === "" ? undefined : () => lookAt(id, text);
  });
  const { value, error } = looked.value;
  return (
    <div class="why-not">
      <header>
        <h1>Why not?</h1>
        <p class="lead">
          Pick a memory. The page says where it ranks for the question, what it lacks against the
          first answer, and which questions find it.
        </p>
      </header>
      <div class="pick">
        <label>
          <span>Question</span>
          <input
            type="text"
            value={question.value}
            placeholder={asked === "" ? "Ask the memory …" : asked}
            autocomplete="off"
            spellcheck={false}
            maxLength={1000}
            onInput={(event) => question.set(event.currentTarget.value)}
          />
        </label>
        <MemoryBox chosen={value?.reasoned?.card} onChoose={(id) => chosen.set(id)} />
      </div>
      {asked.trim() === "" ? <p class="quiet">Type a question first.</p> : null}
      {error === undefined ? null : (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {value === undefined ? (
        <Waiting isFor={error === undefined && asked.trim() !== ""} />
      ) : value === null ? (
        <p class="quiet">Nothing in this memory has to do with the question.</p>
      ) : value.reasoned === undefined ? (
        <p class="problem" role="alert">
          This memory has no “{value.id}”. Pick another one above.
        </p>
      ) : (
        <Verdict asked={value.asked} reasoned={value.reasoned} />
      )}
    </div>
  );
}

interface VerdictProps {
  asked: string;
  reasoned: Reasoned;
}

function Verdict({ asked, reasoned }: VerdictProps) {
  const { card, reasons, first, words, differences, among, awaited } = reasoned;
  const { rank, score } = reasons;
  return (
    <>
      <div class="standing" role="status">
        <p class="rank">{rank === null ? "Not found" : ordinal(rank)}</p>
        <p>
          {rank === null ? (
            "Nothing connects this memory with the question: it shares no word, no near word and no meaning with it."
          ) : (
            <>
              of {counted(among, "memory", "memories")}
              {awaited === 0 ? "" : " loaded so far"}, with a probability of{" "}
              <strong>{percent(score)}</strong>
              {rank === 1 || first === undefined ? "." : `. The first has ${percent(first.score)}.`}
            </>
          )}{" "}
          <Behind reasoned={reasoned} />
        </p>
        <a href={linkTo("ask", { q: asked })}>← All answers</a>
      </div>
      <div class="pair">
        <section class={`side s-${card.section}`} aria-label="This memory">
          <p class="which">This memory</p>
          <MemoryCard card={card} marks={reasons.marks} passage={reasons.passage} isShort />
          <Values card={card} />
        </section>
        {first === undefined || rank === 1 ? null : <First first={first} />}
      </div>
      {rank === 1 ? (
        <section>
          <h2>It is the first answer</h2>
          <p class="lead">Its evidence, the largest contribution first.</p>
          <EvidenceTable reasons={reasons} />
        </section>
      ) : (
        <>
          <Words words={words} hasFirst={first !== undefined} />
          {first === undefined ? null : <Differences differences={differences} />}
          {reasons.meaning === "" ? null : <p class="quiet">{reasons.meaning}</p>}
          {/* A new place is asked anew. */}
          <Finders key={`${card.id} ${asked}`} id={card.id} asked={asked} />
        </>
      )}
    </>
  );
}

/** Says which memory this one stands behind whatever the evidence says. */
function Behind({ reasoned: { superseded_by, similar_to } }: { reasoned: Reasoned }) {
  const other = superseded_by ?? similar_to;
  if (other === undefined) return null;
  return (
    <>
      {superseded_by === undefined ? "It stands back because it is like" : "It is superseded by"} “
      <a href={linkTo("why-not", { id: other.id })}>{other.title}</a>”.
    </>
  );
}

function First({ first: { card, reasons } }: { first: Shown }) {
  return (
    <section class={`side s-${card.section}`} aria-label="The first answer">
      <p class="which">The first answer</p>
      <MemoryCard card={card} marks={reasons?.marks ?? []} passage={reasons?.passage} isShort />
    </section>
  );
}

/** Questions that find the memory. The page has asked each of them. */
function Finders({ id, asked }: { id: string; asked: string }) {
  const finders = useLive(() => () => memory.finders({ id, question: asked }));
  const { value } = finders.value;
  return (
    <section aria-busy={value === undefined}>
      <h2>Questions that find it</h2>
      {value === undefined ? (
        <p class="lead">Asking other questions …</p>
      ) : value.length === 0 ? (
        <p class="lead">
          The page has asked with its rarest words, its time and its title. None of these questions
          moves it up.
        </p>
      ) : (
        <>
          <p class="lead">The page has asked each of these questions.</p>
          <ul class="finders">
            {value.map((finder) => (
              <FinderLine key={finder.question} finder={finder} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function FinderLine({ finder: { question: asked, how, rank, score } }: { finder: Finder }) {
  return (
    <li>
      <p>
        Asking “<a href={linkTo("ask", { q: asked })}>{asked}</a>” puts it{" "}
        <strong>{rank === 1 ? "first" : ordinal(rank!)}</strong> ({percent(score)})
      </p>
      <small>{how}</small>
    </li>
  );
}
