// Asks before something is deleted.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface ConfirmProps {
  title: string;
  /** The memories to delete, and whether that can be undone. */
  children: ComponentChildren;
  close: (isWanted: boolean) => void;
}

const DELETE = "delete";

export function Confirm({ title, children, close }: ConfirmProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  // Closing gives the focus back to the button that opened the dialog.
  const end = (answer: string) => dialog.current?.close(answer);
  return (
    <dialog
      aria-labelledby={id}
      ref={dialog}
      onClose={({ currentTarget }) => close(currentTarget.returnValue === DELETE)}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <div class="actions">
        <button type="button" class="danger" onClick={() => end(DELETE)}>
          Delete
        </button>
        <button type="button" onClick={() => end("")}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}
