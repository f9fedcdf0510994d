// The answer to `initialize` over standard input and output, before the modules of the server are
// loaded.
//
// Idea: the answer depends on nothing that is configured. It is written as soon as the request is
// there; all bytes go on to the server of the SDK, whose own answer to this request is dropped.
// Soundness: only a usual request is answered here. Any other one, such as one in two parts or with
// an unknown version of the protocol, waits for the SDK. A test compares both answers.
// This file imports nothing but identity.ts and Node's modules.

import { PassThrough, type Readable } from "node:stream";
import { CAPABILITIES, INSTRUCTIONS, serverInfo } from "./identity.ts";

/** The versions of the protocol that are answered here. */
export const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/** How long the first message is waited for before the modules are loaded, in milliseconds. */
const PATIENCE = 20;

/** What was read, and the id of the request that is answered already. */
export interface Greeted {
  /** All bytes of standard input. */
  input: Readable;
  /** The id of the answered `initialize`; undefined if it is not answered. */
  answered: string | number | undefined;
}

let greeted: Greeted | undefined;

/** Returns what `greetEarly` read; undefined if it was not called. */
export const whatWasRead = (): Greeted | undefined => greeted;

/** Reads standard input from now on, and answers its first message if that is `initialize`. */
export async function greetEarly(version: string): Promise<void> {
  const input = new PassThrough();
  const reading: Greeted = { input, answered: undefined };
  greeted = reading;
  await new Promise<void>((resolve) => {
    const greet = (chunk: Buffer) => {
      const answer = earlyAnswer(chunk.toString("utf8"), version);
      if (answer !== undefined) {
        reading.answered = answer.id;
        process.stdout.write(`${JSON.stringify(answer)}\n`);
      }
      resolve();
    };
    // A message that comes later is answered by the SDK alone. What lies there when the time is over,
    // on a machine that had no turn for this process, is read before.
    const leave = () => {
      process.stdin.off("data", greet);
      resolve();
    };
    setTimeout(() => setImmediate(leave), PATIENCE);
    process.stdin.once("data", greet);
    process.stdin.once("end", resolve);
    process.stdin.pipe(input);
  });
}

/** Returns the answer to a usual `initialize` that begins a text; undefined for anything else. */
export function earlyAnswer(
  text: string,
  version: string,
): { jsonrpc: "2.0"; id: string | number; result: object } | undefined {
  const end = text.indexOf("\n");
  if (end < 0) return undefined;
  let request: unknown;
  try {
    // Pipes of Windows begin with a byte order mark.
    request = JSON.parse(text.slice(0, end).replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
  const { jsonrpc, id, method, params } = fieldsOf(request);
  const { protocolVersion, capabilities, clientInfo } = fieldsOf(params);
  const client = fieldsOf(clientInfo);
  const isDefault =
    jsonrpc === "2.0" &&
    method === "initialize" &&
    typeof capabilities === "object" &&
    capabilities !== null &&
    typeof client.name === "string" &&
    typeof client.version === "string" &&
    VERSIONS.includes(protocolVersion as string);
  if (!isDefault || !isId(id)) return undefined;
  const result = {
    protocolVersion,
    capabilities: CAPABILITIES,
    serverInfo: serverInfo(version),
    instructions: INSTRUCTIONS,
  };
  return { jsonrpc, id, result };
}

const isId = (id: unknown): id is string | number =>
  typeof id === "string" || Number.isSafeInteger(id);

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
