// Opens memories: the one that the address names, files, and the memory of a server.

import { batch, signal } from "@preact/signals";
import { isChosen, memory, opened, openMemory, openSample } from "../memory/client.ts";
import type { SampleName } from "../memory/sample-names.ts";
import { agentName, linkTo, memoryName, namesMemory, question, serverUrl } from "./address.ts";

/** The server that serves the page. */
export interface ThisServer {
  /** Whether it asks for a key. */
  needsKey: boolean;
  /** Its agents, as far as it names them without a key. */
  agents: string[];
  /**
   * The agent to open: the first with memories, else the default one, which is empty. Undefined if none
   * can be read without a key.
   */
  agent: string | undefined;
}

/** The server that serves the page; undefined if a static host does. */
export const thisServer = signal<ThisServer | undefined>(undefined);

/** Where the page stands: the address of the server that serves it. */
export const HERE = new URL(".", document.baseURI).href.replace(/\/$/, "");

/** Whether something is kept in this browser. */
export const hasKept = signal(false);

/** The keys of this visit, by address of the server. */
const keys = new Map<string, string>();
/** Keys are kept for a tab if the visitor agrees. */
const KEY = "nous-server-key";

/** Returns the key of a server that this visit, or this tab, has. Storage may be forbidden. */
export function keptKey(url: string): string {
  const known = keys.get(url);
  if (known !== undefined) return known;
  try {
    return sessionStorage.getItem(`${KEY} ${url}`) ?? "";
  } catch {
    return "";
  }
}

function keepKey(url: string, key: string, isForTab: boolean): void {
  keys.set(url, key);
  try {
    if (isForTab) sessionStorage.setItem(`${KEY} ${url}`, key);
    else sessionStorage.removeItem(`${KEY} ${url}`);
  } catch {
    // Then the key holds for this visit.
  }
}

/** The memory that the page opens or has opened, as the address names it. */
let current = named();

/** Returns the memory that the address names. For a server, that is its address and agent. */
function named(): readonly [name: string, url: string, agent: string] {
  return [memoryName.value, serverUrl.value, agentName.value];
}

addEventListener("hashchange", () => {
  if (named().every((part, place) => part === current[place])) return;
  if (namesMemory()) {
    void openNamed();
    return;
  }
  // An address without a memory keeps the one that is open.
  setNames(...current);
});

/** Writes the memory that is open into the address. */
function setNames(name: string, url: string, agent: string): void {
  batch(() => {
    serverUrl.set(url);
    agentName.set(agent);
    memoryName.set(name);
  });
  current = named();
}

/** Opens a sample. */
export function chooseSample(name: SampleName): Promise<string | undefined> {
  setNames(name, "", "default");
  return openSample(name);
}

/** Opens the memory that the address names. Without one: that of this server, or a sample. */
export async function openNamed(): Promise<void> {
  const probing = probe();
  void memory.hasKept().then((found) => {
    hasKept.value = found;
  });
  if (!namesMemory()) {
    await probing;
    // The visitor may have chosen one meanwhile.
    if (isChosen()) return;
  }
  current = named();
  const name = memoryName.value;
  if (!namesMemory() && thisServer.value?.agent !== undefined) {
    await openThisServer();
  } else if (name === "yours") {
    await openMemory({ kind: "kept" });
  } else if (name === "server") {
    await openMemory({ kind: "server", address: namedServer() });
  } else {
    await openSample(name === "trader" ? "trader" : "general");
    return;
  }
  if (opened.peek().state === "failed") location.hash = linkTo("memories");
}

/** Returns the server that the address names, with its key. */
function namedServer() {
  const url = serverUrl.value === "" ? HERE : serverUrl.value;
  return { url, agent: agentName.value, key: keptKey(url) };
}

/** Reads the memory of the server again. Returns why it could not be read. */
export const openAgain = (): Promise<string | undefined> =>
  openMemory({ kind: "server", address: namedServer() }, { isOptional: true });

let probed: Promise<void> | undefined;

/** Asks the page's own origin once whether it is a server of memories. A static host has none. */
function probe(): Promise<void> {
  probed ??= findServer();
  return probed;
}

async function findServer(): Promise<void> {
  const ask = async (path: string, agent?: string) => {
    const headers: Record<string, string> = { accept: "application/json" };
    if (agent !== undefined)
      headers["x-nous-agent"] = String.fromCharCode(...new TextEncoder().encode(agent));
    return fetch(`${HERE}/${path}`, { headers });
  };
  try {
    const answer = await ask("");
    if (answer.status === 401 && answer.headers.has("www-authenticate")) {
      thisServer.value = { needsKey: true, agents: [], agent: undefined };
      return;
    }
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    if (!isJson || (await answer.json()).name !== "nous-server") return;
    const { data } = (await (await ask("v1/agents?limit=100")).json()) as {
      data: { agent: string }[];
    };
    const names = data.map(({ agent }) => agent);
    // The default agent first.
    const agents = names.toSorted((a, b) => Number(b === "default") - Number(a === "default"));
    let found = "default";
    for (const agent of agents.slice(0, 5)) {
      const { node_count } = await (await ask("v1/health", agent)).json();
      if (node_count === 0) continue;
      found = agent;
      break;
    }
    thisServer.value = { needsKey: false, agents, agent: found };
  } catch {
    // No network, or another server: then there is no server of memories here.
  }
}

/** Opens the memory of the server that serves the page. */
export const openThisServer = (): Promise<string | undefined> =>
  openAgent(thisServer.value?.agent ?? "default");

/** Opens the memory of an agent of the server that serves the page. */
export const openAgent = (agent: string): Promise<string | undefined> =>
  openServer({ url: HERE, agent, key: keptKey(HERE) }, false);

/** Whether it is not known yet which memory opens: the address names none. */
export const isUndecided = (): boolean => opened.value.state === "opening" && !namesMemory();

/** Opens an empty memory in the page. */
export async function openNew(): Promise<void> {
  if ((await openMemory({ kind: "new" })) !== undefined) return;
  question.set("");
  setNames("yours", "", "default");
}

/** Opens the memory of a server. Returns why it could not be opened. */
export async function openServer(
  address: { url: string; agent: string; key: string },
  isForTab: boolean,
): Promise<string | undefined> {
  const why = await openMemory({ kind: "server", address }, { isOptional: true });
  if (why !== undefined) return why;
  const url = address.url.trim().replace(/\/+$/, "");
  keepKey(url, address.key, isForTab);
  setNames("server", url === HERE ? "" : url, address.agent);
  return undefined;
}

/** Opens files. Returns why none could be opened. */
export async function openFiles(files: readonly File[]): Promise<string | undefined> {
  const why = await openMemory({ kind: "files", files: [...files] }, { isOptional: true });
  if (why !== undefined) return why;
  question.set("");
  setNames("yours", "", "default");
  return undefined;
}

/** Opens the memory saved in this browser. Returns the reason if it cannot be opened. */
export async function openKept(): Promise<string | undefined> {
  const why = await openMemory({ kind: "kept" }, { isOptional: true });
  if (why !== undefined) return why;
  question.set("");
  setNames("yours", "", "default");
  return undefined;
}
