// A memory of the list: read, edited in place, deleted.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { memory, memoryChanged, opened } from "../memory/client.ts";
import { type Card, type Texts, titleOf } from "../memory/records.ts";
import { MemoryCard } from "./card.tsx";
import { isLong } from "./memory-text.tsx";
import { whyNot } from "./problem.ts";
import { Values } from "./values.tsx";

interface RowProps {
  card: Card;
  /** Missing: it is not to be deleted here. */
  onRemove?: (() => void) | undefined;
  /** Whether it shows what its fact said before. Default: true. */
  hasValues?: boolean;
}

export function MemoryRow({ card, onRemove, hasValues = true }: RowProps) {
  const editing = useSignal<Texts | undefined>(undefined);
  const why = useSignal("");
  const isWhole = useSignal(false);
  const edit = useRef<HTMLButtonElement>(null);
  const name = titleOf(card);
  const begin = async () => {
    why.value = await whyNot(async () => {
      editing.value = await memory.texts(card.id);
    });
  };
  const end = async (changed: Texts | undefined) => {
    why.value = changed === undefined ? "" : await whyNot(() => memory.edit(card.id, changed));
    // After a refusal the memory is shown as the server has it. The visitor's text stays in the
    // form: who saves it again has seen what the memory is now.
    if (why.value === "") editing.value = undefined;
    else if (changed !== undefined) editing.value = withoutVersion(changed);
    if (changed !== undefined) await memoryChanged();
    edit.current?.focus();
  };
  return (
    <li class={`record s-${card.section}`} data-id={card.id}>
      {editing.value === undefined ? (
        <>
          <div class="body">
            <MemoryCard card={card} isShort={!isWhole.value} />
            {hasValues ? <Values card={card} /> : null}
            {card.tags.length === 0 ? null : (
              <ul class="tags" aria-label="Tags">
                {card.tags.map((tag) => (
                  <li key={tag}>{tag}</li>
                ))}
              </ul>
            )}
          </div>
          <div class="actions">
            {isLong(card.text) ? (
              <button
                type="button"
                class="more"
                aria-expanded={isWhole.value}
                aria-label={`${isWhole.value ? "Show less" : "Show all"} of ${name}`}
                onClick={() => {
                  isWhole.value = !isWhole.value;
                }}
              >
                {isWhole.value ? "Show less" : "Show all"}
              </button>
            ) : null}
            <button
              ref={edit}
              type="button"
              class="more"
              aria-label={`Edit ${name}`}
              onClick={() => void begin()}
            >
              Edit
            </button>
            {onRemove === undefined ? null : (
              <button type="button" class="more" aria-label={`Delete ${name}`} onClick={onRemove}>
                Delete
              </button>
            )}
          </div>
        </>
      ) : (
        <EditForm texts={editing.value} end={(changed) => void end(changed)} />
      )}
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
    </li>
  );
}

const withoutVersion = ({ version: _, ...texts }: Texts): Texts => texts;

interface EditProps {
  texts: Texts;
  /** Called with the changed texts, or without if nothing is to change. */
  end: (changed: Texts | undefined) => void;
}

function EditForm({ texts, end }: EditProps) {
  const first = useRef<HTMLInputElement>(null);
  const title = useSignal(texts.title);
  const summary = useSignal(texts.summary ?? "");
  const text = useSignal(texts.text);
  const tags = useSignal(texts.tags.join(", "));
  const kind = useSignal(texts.kind ?? "");
  const state = opened.value;
  const kinds = state.state === "open" ? state.summary.kindNames : [];
  // At once: later it would take the focus from a field that the visitor has chosen.
  useLayoutEffect(() => first.current?.focus(), []);
  const save = () =>
    end({
      title: title.value.trim(),
      summary: texts.summary === null ? null : summary.value,
      text: text.value,
      tags: [...new Set(tags.value.split(",").map((tag) => tag.trim()))].filter(Boolean),
      kind: kind.value,
      ...(texts.version === undefined ? {} : { version: texts.version }),
    });
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") end(undefined);
      }}
    >
      <label>
        Title
        <input
          ref={first}
          type="text"
          maxLength={10_000}
          value={title.value}
          onInput={(event) => {
            title.value = event.currentTarget.value;
          }}
        />
      </label>
      {texts.summary === null ? null : (
        <label>
          Summary
          <textarea
            rows={2}
            value={summary.value}
            onInput={(event) => {
              summary.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      <label>
        Text
        <textarea
          rows={Math.min(12, Math.max(3, Math.ceil(texts.text.length / 80)))}
          maxLength={1_000_000}
          placeholder={title.value === "" ? "" : "Nothing beyond the title"}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <label>
        Tags, with commas between
        <input
          type="text"
          value={tags.value}
          onInput={(event) => {
            tags.value = event.currentTarget.value;
          }}
        />
      </label>
      <label>
        Kind, which decides how it fades
        <select
          value={kind.value}
          onChange={(event) => {
            kind.value = event.currentTarget.value;
          }}
        >
          {kinds.includes(kind.value) ? null : <option value={kind.value}>{kind.value}</option>}
          {kinds.map((name) => (
            <option key={name} value={name}>
              {name.replace(/^custom:/, "").replaceAll("_", " ")}
            </option>
          ))}
        </select>
      </label>
      <div class="actions">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" onClick={() => end(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
