// All memories: filtered, sorted by date, fifty at a time.

import { useSignal } from "@preact/signals";
import type { MemorySection } from "nous-wasm";
import { useRef } from "preact/hooks";
import type { Param } from "../../app/address.ts";
import {
  change,
  clearFilters,
  dayIn,
  FILTERS,
  from,
  kind,
  order,
  page,
  section,
  tag,
  text,
  to,
} from "../../app/filters.ts";
import { count, counted, SECTION_NAMES, SECTIONS } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { isEmpty, memory, memoryChanged, opened } from "../../memory/client.ts";
import { type Card, type Counted, seenOf, titleOf } from "../../memory/records.ts";
import { Waiting } from "../../parts/loading.tsx";
import { MemoryRow } from "../../parts/memory-row.tsx";
import { whyNot } from "../../parts/problem.ts";
import { Confirm } from "./confirm.tsx";

const SIZE = 50;
const DAY = 86_400_000;

export function Browse({ isOnServer }: { isOnServer: boolean }) {
  const list = useRef<HTMLElement>(null);
  const removing = useSignal<Card | undefined>(undefined);
  const why = useSignal("");
  const listed = useLive(() => {
    const until = dayIn(to.value);
    const request = {
      text: text.value,
      section: (SECTIONS as readonly string[]).includes(section.value)
        ? (section.value as MemorySection)
        : ("" as const),
      kind: kind.value,
      tag: tag.value,
      from: dayIn(from.value),
      to: until === null ? null : until + DAY - 1,
      order: order.value === "oldest" ? ("oldest" as const) : ("newest" as const),
      page: Math.max(0, Math.trunc(Number(page.value)) - 1 || 0),
      size: SIZE,
    };
    return () => memory.list(request);
  }).value.value;
  if (listed === undefined) return <Waiting isFor />;
  const { cards, total, kinds, tags } = listed;
  const state = opened.value;
  const isWhole = state.state !== "open" || state.summary.awaited === 0;
  const number = listed.page + 1;
  const pages = Math.max(1, Math.ceil(total / SIZE));
  const turn = (next: number) => {
    page.set(String(next));
    list.current?.focus();
    list.current?.scrollIntoView({ block: "start" });
  };
  return (
    <section class="browse" aria-label="All memories" tabIndex={-1} ref={list}>
      <div class="row">
        <h2>All memories</h2>
        <p class="hint" role="status">
          {FILTERS.every(({ value }) => value === "")
            ? `${count(total)}${isWhole ? "" : " so far"}`
            : total === 0
              ? "No memory passes the filters."
              : `${counted(total, "passes", "pass")} the filters`}
        </p>
      </div>
      {isEmpty() ? (
        <p class="hint">Nothing is stored yet. What you write above comes here.</p>
      ) : (
        <Filters kinds={kinds} tags={tags} />
      )}
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
      <ul class="records">
        {cards.map((card) => (
          <MemoryRow
            key={card.id}
            card={card}
            onRemove={() => {
              removing.value = card;
            }}
          />
        ))}
      </ul>
      {pages > 1 ? (
        <nav class="pager" aria-label="Pages">
          <button type="button" disabled={number <= 1} onClick={() => turn(number - 1)}>
            Back
          </button>
          <span>
            {count(number)} of {count(pages)}
          </span>
          <button type="button" disabled={number >= pages} onClick={() => turn(number + 1)}>
            Next
          </button>
        </nav>
      ) : null}
      {removing.value === undefined ? null : (
        <RemoveDialog
          card={removing.value}
          isOnServer={isOnServer}
          close={async (isWanted) => {
            const seen = seenOf(removing.value!);
            removing.value = undefined;
            if (!isWanted) return;
            why.value = await whyNot(() => memory.remove([seen]));
            await memoryChanged();
            list.current?.focus();
          }}
        />
      )}
    </section>
  );
}

function Filters({ kinds, tags }: { kinds: readonly Counted[]; tags: readonly Counted[] }) {
  const isAny = FILTERS.some(({ value }) => value !== "");
  return (
    <search class="filters">
      <label class="wide">
        Words
        <input
          type="search"
          value={text.value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => change(text, event.currentTarget.value)}
        />
      </label>
      <label>
        Section
        <select
          value={section.value}
          onChange={(event) => change(section, event.currentTarget.value)}
        >
          <option value="">all</option>
          {SECTIONS.map((name) => (
            <option key={name} value={name}>
              {SECTION_NAMES[name]}
            </option>
          ))}
        </select>
      </label>
      <Choice label="Kind" filter={kind} offered={kinds} />
      <Choice label="Tag" filter={tag} offered={tags} />
      <label>
        From
        <input
          type="date"
          value={from.value}
          onChange={(event) => change(from, event.currentTarget.value)}
        />
      </label>
      <label>
        To
        <input
          type="date"
          value={to.value}
          onChange={(event) => change(to, event.currentTarget.value)}
        />
      </label>
      <label>
        Order
        <select value={order.value} onChange={(event) => change(order, event.currentTarget.value)}>
          <option value="newest">newest first</option>
          <option value="oldest">oldest first</option>
        </select>
      </label>
      {isAny ? (
        <button type="button" class="more" onClick={clearFilters}>
          Clear the filters
        </button>
      ) : null}
    </search>
  );
}

interface ChoiceProps {
  label: string;
  filter: Param;
  offered: readonly Counted[];
}

function Choice({ label, filter, offered }: ChoiceProps) {
  const { value } = filter;
  if (offered.length === 0 && value === "") return null;
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => change(filter, event.currentTarget.value)}>
        <option value="">all</option>
        {value === "" || offered.some(({ name }) => name === value) ? null : (
          <option value={value}>{value}</option>
        )}
        {offered.map(({ name, count: many }) => (
          <option key={name} value={name}>
            {name} ({count(many)})
          </option>
        ))}
      </select>
    </label>
  );
}

interface RemoveProps {
  card: Card;
  isOnServer: boolean;
  close: (isWanted: boolean) => void;
}

/** Asks before a memory is deleted. */
function RemoveDialog({ card, isOnServer, close }: RemoveProps) {
  return (
    <Confirm title="Delete this memory?" close={close}>
      <p>“{titleOf(card)}”</p>
      <p class="hint">
        {isOnServer
          ? "It is deleted on the server, with its links. This cannot be undone."
          : "Its links go, too. “Undo the last change” brings it back."}
      </p>
    </Confirm>
  );
}
