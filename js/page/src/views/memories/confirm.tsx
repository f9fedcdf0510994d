// Asks before something is deleted.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface ConfirmProps {
  title: string;
  /** What is deleted, and whether that can be undone. */
  children: ComponentChildren;
  close: (isWanted: boolean) => void;
}

export function Confirm({ title, children, close }: ConfirmProps) {
  const id = useId();
  return (
    <dialog
      aria-labelledby={id}
      ref={(dialog) => {
        if (dialog !== null && !dialog.open) dialog.showModal();
      }}
      onClose={() => close(false)}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <div class="actions">
        <button type="button" class="danger" onClick={() => close(true)}>
          Delete
        </button>
        <button type="button" onClick={() => close(false)}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}
