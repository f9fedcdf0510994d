// Chooses a memory by part of its title or text: a combobox with a list of suggestions.

import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { dayOf, SECTION_NAMES } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import { type Card, titleOf } from "../../memory/records.ts";
import { askedQuestion } from "../ask/suggestions.ts";

interface MemoryBoxProps {
  /** The memory that is chosen. */
  chosen: Card | undefined;
  onChoose(id: string): void;
}

export function MemoryBox({ chosen, onChoose }: MemoryBoxProps) {
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  /** The visitor's text; undefined while nothing is typed. */
  const typed = useSignal<string | undefined>(undefined);
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  const found = useLive(() => {
    if (!isOpen.value) return undefined;
    const text = typed.value ?? "";
    const asked = askedQuestion();
    return () => memory.find({ text, question: asked });
  });
  const options = found.value.value ?? [];
  const isShown = isOpen.value && found.value.value !== undefined;
  const close = () => {
    isOpen.value = false;
    active.value = -1;
    typed.value = undefined;
  };
  const choose = (card: Card | undefined) => {
    if (card === undefined) return;
    close();
    onChoose(card.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      const isClosed = !isOpen.value;
      isOpen.value = true;
      if (isClosed || options.length === 0) return;
      const step = key === "ArrowDown" ? 1 : -1;
      const from = active.value < 0 && step < 0 ? 0 : active.value;
      active.value = (from + step + options.length) % options.length;
    } else if (key === "Enter" && isShown) {
      event.preventDefault();
      choose(options[Math.max(active.value, 0)]);
    } else if (key === "Escape" && isOpen.value) {
      event.preventDefault();
      close();
    }
  };
  return (
    <div class="memory-box">
      <label for={`${id}-box`}>Which memory?</label>
      <input
        id={`${id}-box`}
        ref={box}
        type="text"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active.value < 0 ? undefined : `${id}-${active.value}`}
        autocomplete="off"
        spellcheck={false}
        placeholder="Type part of its title or text"
        value={typed.value ?? (chosen === undefined ? "" : titleOf(chosen))}
        onClick={() => {
          if (!isOpen.value) box.current?.select();
          isOpen.value = true;
        }}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          active.value = -1;
          isOpen.value = true;
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Memories" hidden={!isShown}>
        {options.map((card, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys.
          <div
            key={card.id}
            id={`${id}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === active.value}
            class={`s-${card.section}`}
            // The box keeps the focus, else the list would close before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(card)}
          >
            <span>{titleOf(card)}</span>
            <small>
              {SECTION_NAMES[card.section]}, {dayOf(card.created)}
            </small>
          </div>
        ))}
      </div>
      <p class="hidden" role="status">
        {isShown ? foundIn(options.length) : ""}
      </p>
      {isShown && options.length === 0 ? (
        <p class="none">No memory has a word that begins so.</p>
      ) : null}
    </div>
  );
}

const foundIn = (many: number): string =>
  many === 0 ? "No memory found" : `${many} ${many === 1 ? "memory" : "memories"}, use the arrows`;
