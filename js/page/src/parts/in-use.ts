/** Whether somebody edits a memory, or answers a dialog: what they work on must stay where it is. */
export const isInUse = (): boolean => document.querySelector("dialog[open], form.edit") !== null;
