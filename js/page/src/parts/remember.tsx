// A box for a text to remember, and what became of it: pieces with their kinds, what was known, and
// what it seems to replace. Each can be corrected on the spot.

import { effect, signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { linkTo } from "../app/address.ts";
import { counted, percent } from "../app/format.ts";
import { generation, memory, memoryChanged, opened } from "../memory/client.ts";
import {
  type Card,
  type Decision,
  type Stored,
  type StoredPiece,
  seenOf,
} from "../memory/records.ts";
import { MemoryRow } from "./memory-row.tsx";
import { whyNot } from "./problem.ts";
import { guessAbout, isSettled } from "./values.tsx";

/**
 * What was written into a box so far: what is typed while a view changes is in the next one's box.
 */
export const draft = signal("");
/** What the last text became, until another memory is opened. */
const latest = signal<Stored | undefined>(undefined);
/** How many texts were remembered. */
const remembered = signal(0);
effect(() => {
  if (opened.value.state === "open") return;
  latest.value = undefined;
  draft.value = "";
});
// It is shown as it is now, wherever it was changed. What was deleted is no longer shown.
effect(() => {
  void generation.value;
  const shown = latest.peek();
  if (shown !== undefined && shown.pieces.length > 0) void showAnew(shown);
});

async function showAnew(shown: Stored): Promise<void> {
  const now = await memory.storedNow(shown);
  if (latest.peek() === shown) latest.value = now.pieces.length === 0 ? undefined : now;
}

interface BoxProps {
  label: string;
  box?: RefObject<HTMLTextAreaElement | null>;
}

/** A box that remembers what is written in it. */
export function RememberBox({ label, box }: BoxProps) {
  const why = useSignal("");
  const isBusy = useSignal(false);
  const own = useRef<HTMLTextAreaElement>(null);
  const field = box ?? own;
  const store = async () => {
    if (draft.value.trim() === "" || isBusy.value) return;
    isBusy.value = true;
    const given = draft.value;
    let stored: Stored | undefined;
    why.value = await whyNot(async () => {
      stored = await memory.remember(given);
      // What was typed meanwhile stays, also behind it.
      if (draft.value.startsWith(given)) draft.value = draft.value.slice(given.length).trimStart();
    });
    isBusy.value = false;
    await memoryChanged();
    // It comes into sight, so that what stands above it has to be there already.
    if (stored !== undefined) {
      latest.value = stored;
      remembered.value += 1;
    }
    field.current?.focus({ preventScroll: true });
  };
  return (
    <form
      class="remember"
      onSubmit={(event) => {
        event.preventDefault();
        void store();
      }}
    >
      <label>
        {label}
        <textarea
          ref={field}
          rows={2}
          maxLength={1_000_000}
          placeholder="A fact, a decision, a preference, a way to do something …"
          value={draft.value}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            void store();
          }}
        />
      </label>
      <div class="actions">
        <button type="submit" class="primary" disabled={draft.value.trim() === "" || isBusy.value}>
          Remember
        </button>
        <span class="hint">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
      </div>
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
    </form>
  );
}

/**
 * A folded box for what else is to be remembered. It opens on what was typed in another box, and
 * takes the keyboard that the other one left.
 */
export function RememberMore() {
  const fold = useRef<HTMLDetailsElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  // Before the next key.
  useLayoutEffect(() => {
    if (draft.peek() === "") return;
    fold.current!.open = true;
    if (document.activeElement !== document.body) return;
    box.current!.focus({ preventScroll: true });
    box.current!.setSelectionRange(draft.peek().length, draft.peek().length);
  }, []);
  return (
    <details class="remember-more" ref={fold}>
      <summary>Remember something</summary>
      <RememberBox box={box} label="What should be remembered?" />
    </details>
  );
}

/** What the last text became. */
export function LatestStored() {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: "nearest" }), [remembered.value]);
  if (latest.value === undefined) return null;
  const { pieces } = latest.value;
  const created = pieces.filter(({ isNew }) => isNew).length;
  const known = pieces.length - created;
  const said =
    pieces.length === 0
      ? "That says nothing to remember."
      : [
          ...(created === 0 ? [] : [`Stored as ${counted(created, "memory", "memories")}.`]),
          ...(known === 0 ? [] : [`${counted(known, "memory says", "memories say")} it already.`]),
        ].join(" ");
  return (
    <section class="stored" aria-label="What was stored" ref={section}>
      <div class="row">
        <p class="hint" role="status">
          {said}
        </p>
        <button
          type="button"
          class="more"
          onClick={() => {
            latest.value = undefined;
          }}
        >
          Hide
        </button>
      </div>
      <ul class="records">
        {pieces.map((piece) => (
          <Piece key={`${piece.card.id} ${generation.value}`} piece={piece} />
        ))}
      </ul>
    </section>
  );
}

/** A memory that was stored, and the older ones that it seems to replace. */
function Piece({ piece: { card, isNew, replaces } }: { piece: StoredPiece }) {
  const why = useSignal("");
  // Else it is asked below.
  const isDecided = replaces.every((older) => guessAbout(older.card) === undefined);
  const remove = async () => {
    why.value = await whyNot(() => memory.remove([seenOf(card)]));
    await memoryChanged();
  };
  return (
    <>
      <MemoryRow
        card={card}
        onRemove={isNew ? () => void remove() : undefined}
        hasValues={isDecided}
      />
      {replaces
        .filter((older) => !isSettled(older.card, card))
        .map((older) => (
          <Replaces key={older.card.id} {...older} />
        ))}
      {why.value === "" ? null : (
        <li class="problem" role="alert">
          {why.value}
        </li>
      )}
    </>
  );
}

const DECISIONS: Readonly<Record<Decision, string>> = {
  new_is_current: "Yes, it holds no longer",
  keep_both: "No, both hold",
};

function Replaces({ card, probability }: { card: Card; probability: number }) {
  const why = useSignal("");
  const guess = guessAbout(card);
  const decide = async (how: Decision) => {
    why.value = await whyNot(() => memory.decide(seenOf(card), seenOf(guess!), how));
    await memoryChanged();
  };
  const isGuessed = guess !== undefined;
  const name = card.text === "" ? card.title : card.text;
  return (
    <li class="replaces">
      <p>
        {isGuessed ? "It seems to replace" : "It may replace"} “
        <a href={linkTo("memories", { find: card.title })}>{name}</a>” ({percent(probability)}).
      </p>
      {isGuessed ? (
        <p class="steps">
          {Object.entries(DECISIONS).map(([how, label]) => (
            <button
              key={how}
              type="button"
              class="more"
              onClick={() => void decide(how as Decision)}
            >
              {label}
              <span class="hidden">: {name}</span>
            </button>
          ))}
        </p>
      ) : null}
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
    </li>
  );
}
