// The state of the page that its address holds: the view, and the parameters of the views. It
// stands after the `#`, so that any static host serves every address.

import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";

/** The views. */
const VIEWS = [
  "ask",
  "why-not",
  "context",
  "sections",
  "time",
  "graph",
  "speed",
  "memories",
] as const;
export type View = (typeof VIEWS)[number];

interface Address {
  view: View;
  params: URLSearchParams;
}

const address = signal<Address>(read());

/** The view that is open. */
export const view: ReadonlySignal<View> = computed(() => address.value.view);

function read(): Address {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const found = VIEWS.find((name) => name === path);
  return { view: found ?? "ask", params: new URLSearchParams(query) };
}

addEventListener("hashchange", () => {
  isBehind = false;
  known = location.hash;
  address.value = read();
});
addEventListener("pagehide", catchUp);

/** Browsers refuse to write the address more often than some twenty times a second. */
const MIN_BETWEEN = 100;
let isWaiting = false;
/** Whether the address is behind the state. */
let isBehind = false;
/** The address as it was last read or written: with another one the visitor has gone elsewhere. */
let known = location.hash;

/** Writes the state into the address, at once or a little later. */
function write(): void {
  isBehind = true;
  if (isWaiting) return;
  catchUp();
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    if (isBehind) write();
  }, MIN_BETWEEN);
}

function catchUp(): void {
  if (isBehind && location.hash === known) {
    history.replaceState(null, "", hashOf(address.peek()));
    known = location.hash;
  }
  isBehind = false;
}

function hashOf({ view, params }: Address): string {
  const query = params.toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}

/**
 * Returns the address of a view. It keeps the parameters of the present one, so that the question
 * stays when the view changes.
 */
export function linkTo(view: View, changes: Readonly<Record<string, string>> = {}): string {
  const params = new URLSearchParams(address.value.params);
  for (const [name, value] of Object.entries(changes)) params.set(name, value);
  return hashOf({ view, params });
}

/** A part of the page's state that the address holds. */
export interface Param {
  /** The value; reading it in a component renders the component again when it changes. */
  readonly value: string;
  /** Changes the value without a new entry in the history. */
  set(value: string): void;
}

/**
 * Returns a parameter of the address. A parameter with its default value is left out of the address,
 * unless `isAlwaysThere`.
 *
 * @example
 * ```ts
 * const question = param("q", "");
 * question.set("Where did Mira move?"); // #/ask?q=Where+did+Mira+move%3F
 * ```
 */
export function param(
  name: string,
  byDefault: string,
  { isAlwaysThere = false }: { isAlwaysThere?: boolean } = {},
): Param {
  const value = computed(() => address.value.params.get(name) ?? byDefault);
  return {
    get value() {
      return value.value;
    },
    set(next) {
      if (next === value.peek() && !isAlwaysThere) return;
      const params = new URLSearchParams(address.peek().params);
      if (next === byDefault && !isAlwaysThere) params.delete(name);
      else params.set(name, next);
      batch(() => {
        address.value = { view: address.peek().view, params };
      });
      write();
    },
  };
}

/** The question that Ask, Why not, Context and Graph share. */
export const question = param("q", "");
/**
 * The memory that is open: a sample's name, `yours` or `server`. An address without one opens the
 * memory of the server that serves the page, if it has one.
 */
export const memoryName = param("memory", "general", { isAlwaysThere: true });
/** The address of the server whose memory is open; empty for the one that serves the page. */
export const serverUrl = param("server", "");
/** The agent of that server. */
export const agentName = param("agent", "default");
/** Whether the address says which memory to open. */
export const namesMemory = (): boolean => address.peek().params.has("memory");
