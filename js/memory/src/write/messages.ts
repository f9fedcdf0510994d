// Rule: which turns the messages of model providers are. Two tables say it: how a message names its
// speaker and its content, and what each part of a content is. Known are the shapes of OpenAI (chat
// completions and responses), Anthropic, Google, Amazon Bedrock, the AI SDK (UI and model messages)
// and LangChain (objects, dictionaries and the serialised form).
//
// Invariant: a message of the own shape stays as it is. Words that a person or a model said are
// taken in every shape; whatever else a message has is taken if the caller asks for it, or told as
// left out.

import { MAX_NAME } from "../limits.ts";
import { parseInstant, toIso } from "../time.ts";

/** A message of a conversation, in the own shape. */
export interface MessageToRemember {
  /** Who speaks: `user`, `assistant`, … What the user tells of themselves gets a type of the profile. */
  role: string;
  /** The name of the speaker, in place of the role. */
  name?: string | null | undefined;
  /** What was said. */
  content: string;
  /** When it was said, as ISO 8601. Default: now. */
  created_at?: string | null | undefined;
  /** The id that the message has elsewhere. Its memories have it as `message_id` of their metadata. */
  id?: string | null | undefined;
}

/** A message as a provider writes it: an object, or LangChain's pair of role and content. */
export type ProviderMessage = Readonly<Record<string, unknown>> | readonly [string, unknown];

/** What a message may hold beside words that were said. */
export type OtherContent =
  | "instructions"
  | "tool_call"
  | "tool_result"
  | "reasoning"
  | "refusal"
  | "media"
  | "unknown";

/** What was not taken of messages. */
export interface NotTaken {
  kind: OtherContent;
  /** How many there are. */
  count: number;
  why: string;
}

/** What is taken beside the words of users and models. */
export interface Taken {
  /** `keep`: calls of tools and their results are turns, too. */
  tools?: "skip" | "keep" | null | undefined;
  /** `keep`: the instructions of a model are turns, too. */
  instructions?: "skip" | "keep" | undefined;
}

/** A turn, with the place of its message in the list, from 0. */
export interface TurnOfMessage {
  place: number;
  message: MessageToRemember;
}

/** Why each kind of content is not taken. */
const WHY_NOT: Readonly<Record<OtherContent, string>> = {
  instructions: "what a model is told to do is no memory of the conversation",
  tool_call: 'calls of tools are taken with "tools": "keep"',
  tool_result: 'results of tools are taken with "tools": "keep"',
  reasoning: "a model's reasoning is not what it said",
  refusal: "a refusal tells nothing",
  media: "images, sounds, files and sources hold no text that can be read here",
  unknown: "parts of a kind that is not known here",
};

type Fields = Readonly<Record<string, unknown>>;
/**
 * What a part is. `nothing` marks a place in the stream, `tool` is a call with its result, and
 * `message` one of the user within the answer of a model.
 */
type Kind = OtherContent | "text" | "tool" | "message" | "nothing";

/** What a part is by its `type`; the first row that matches counts. */
const BY_TYPE: readonly (readonly [RegExp, Kind])[] = [
  [/^(text|(in|out)put_text)$/, "text"],
  [/^(step-start|item_reference|remove)$/, "nothing"],
  [/^(redacted_)?thinking$|^(reasoning|summary_text)/, "reasoning"],
  [/^refusal$/, "refusal"],
  [/^steering-message$/, "message"],
  [/^(mid_conv_)?system$/, "instructions"],
  [/approval[-_](request|response)$|^mcp_list_tools$/, "tool_call"],
  [/[-_](result|output|error)$/, "tool_result"],
  [/^(server_|mcp_|invalid_)*tool[-_](use|call)(_chunk)?$|_call$/, "tool_call"],
  [/^(tool-.+|dynamic-tool)$/, "tool"],
  [/^((in|out)put_)?(image|audio|video|file|document|media|source|container_upload)/, "media"],
  [/^text-plain$/, "media"],
  [/^(compaction|compaction_trigger|additional_tools|configuration_update|program)$/, "unknown"],
];

/** What a part without a type is, by the first of these fields that it has. */
const BY_FIELD: readonly (readonly [string, Kind])[] = [
  ["functionCall", "tool_call"],
  ["function_call", "tool_call"],
  ["toolUse", "tool_call"],
  ["executableCode", "tool_call"],
  ["executable_code", "tool_call"],
  ["functionResponse", "tool_result"],
  ["function_response", "tool_result"],
  ["toolResult", "tool_result"],
  ["codeExecutionResult", "tool_result"],
  ["code_execution_result", "tool_result"],
  ["reasoningContent", "reasoning"],
  ["inlineData", "media"],
  ["inline_data", "media"],
  ["fileData", "media"],
  ["file_data", "media"],
  ["image", "media"],
  ["document", "media"],
  ["audio", "media"],
  ["video", "media"],
  ["text", "text"],
];

/** The speakers, as providers name them. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ...(["user", "human"].map((name) => [name, "user"]) as [string, string][]),
  ...(["assistant", "ai", "model"].map((name) => [name, "assistant"]) as [string, string][]),
  ...(["system", "developer"].map((name) => [name, "system"]) as [string, string][]),
  ...(["tool", "function"].map((name) => [name, "tool"]) as [string, string][]),
]);

/** Fields that a message of the own shape does not have, and that mark a provider's. */
const MARKS = [
  ...["parts", "tool_calls", "function_call", "tool_call_id", "refusal", "audio", "annotations"],
  ...["reasoning", "reasoning_content", "reasoning_details"],
  ...["additional_kwargs", "response_metadata", "lc_kwargs"],
  ...["providerOptions", "experimental_providerMetadata", "toolInvocations", "createdAt"],
  "experimental_attachments",
];

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const firstText = (...values: readonly unknown[]): string | undefined =>
  values.map(textIn).find((value) => value !== undefined);

/** A part of a content. */
interface Part {
  kind: Kind;
  /** Its fields; of Google's and Amazon's, those of the object that its only field holds. */
  fields: Fields;
  text: string;
}

/** A message with its shape taken off. */
interface Opened {
  /** The role of the own shape; undefined if the message is itself a part of its model's answer. */
  role: string | undefined;
  fields: Fields;
  parts: readonly Part[];
}

/** Returns whether a value has the shape of a provider's message, and not the own shape alone. */
export function isProviderMessage(value: unknown): value is ProviderMessage {
  if (Array.isArray(value))
    return value.length === 2 && typeof value[0] === "string" && value[1] !== undefined;
  if (!isObject(value)) return false;
  const { role, content, type } = value;
  if (typeof type === "string") return unwrapped(value) !== undefined;
  const hasContent = content === null || typeof content === "object" || typeof content === "string";
  const isMarked = MARKS.some((mark) => Object.hasOwn(value, mark));
  if (typeof role !== "string") return Array.isArray(value.parts);
  return typeof content === "string" ? isMarked : isMarked || (hasContent && content !== undefined);
}

/** The types of LangChain's messages whose speaker is a field. */
const CHAT = ["chat", "generic"];

/** Returns the fields of a message and its role; undefined if its type is that of no message. */
function unwrapped(value: Fields): { named: string | undefined; fields: Fields } | undefined {
  const { type, id, kwargs, data } = value;
  // The serialised form of LangChain names its class at the end of `id`.
  const isSerialised = isObject(kwargs) && Array.isArray(id);
  const [kind, fields] = isSerialised
    ? [String(id.at(-1)), unescaped(kwargs)]
    : [type, isObject(data) && "content" in data ? unescaped(data) : value];
  const role = textIn(fields.role);
  if (typeof kind !== "string" || kind === "message") return { named: role, fields };
  const speaker = kind.replace(/Message(Chunk)?$/, "").toLowerCase();
  if (ROLES.has(speaker) && "content" in fields) return { named: role ?? speaker, fields };
  if (CHAT.includes(speaker) && role !== undefined) return { named: role, fields };
  const isItem = role === undefined && !["text", undefined].includes(kindOfType(kind));
  return isItem ? { named: undefined, fields: value } : undefined;
}

/** The key under which LangChain writes an object of the user that looks like one of its own. */
const ESCAPED = "__lc_escaped__";

/** The most levels in which escaped objects are looked for. */
const MAX_LEVELS = 100;

/** Returns a value as it was before LangChain wrote it. What it escaped is taken as it is. */
function unescaped<Value>(value: Value, levels = MAX_LEVELS): Value {
  const plain = (inner: unknown) => unescaped(inner, levels - 1);
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map(plain) as Value;
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value);
  const [[key, only] = []] = entries;
  if (entries.length === 1 && key === ESCAPED) return only as Value;
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)])) as Value;
}

const kindOfType = (type: string): Kind | undefined =>
  BY_TYPE.find(([pattern]) => pattern.test(type))?.[1];

/**
 * Whether a part is a call with its result, as the AI SDK shows them: its type ends with the name
 * of the tool, which may be "call" or "result". Only these parts have a state.
 */
const isShownCall = ({ type, state }: Fields): boolean =>
  typeof type === "string" && type.startsWith("tool-") && typeof state === "string";

/** Takes the shape off a provider's message. */
function opened(value: ProviderMessage): Opened {
  const given: Fields = isObject(value) ? value : { role: value[0], content: value[1] };
  const { named, fields } = unwrapped(given) ?? { named: undefined, fields: given };
  const isPart =
    named === undefined && typeof fields.type === "string" && fields.type !== "message";
  if (isPart) return { role: undefined, fields, parts: [partOf(fields)] };
  // Google leaves the role out where the user speaks.
  const role = ROLES.get((named ?? "user").toLowerCase()) ?? named ?? "user";
  const listed = fields.parts === undefined ? undefined : partsOf(fields.parts);
  if (listed !== undefined && listed.length > 0) return { role, fields, parts: listed };
  const inContent = partsOf(fields.content);
  const called = new Set(inContent.map(({ fields: part }) => callId(part)));
  const beside = [
    ...besideOf(fields.reasoning_content ?? fields.reasoning, "reasoning"),
    ...inContent,
    ...besideOf(isObject(fields.audio) ? fields.audio.transcript : undefined, "text"),
    ...besideOf(fields.refusal, "refusal"),
    ...[fields.tool_calls, fields.toolInvocations, fields.invalid_tool_calls]
      .flatMap((calls) => (Array.isArray(calls) ? calls.filter(isObject) : []))
      // LangChain repeats the calls of a content.
      .filter((call) => callId(call) === undefined || !called.has(callId(call)))
      .map((call): Part => {
        const kind = "result" in call ? "tool" : "tool_call";
        return { kind, fields: call, text: "" };
      }),
    ...(isObject(fields.function_call)
      ? [{ kind: "tool_call" as const, fields: fields.function_call, text: "" }]
      : []),
  ];
  return { role, fields, parts: beside };
}

const besideOf = (text: unknown, kind: Kind): Part[] =>
  textIn(text) === undefined ? [] : [{ kind, fields: {}, text: text as string }];

const partsOf = (content: unknown): Part[] =>
  content == null ? [] : (Array.isArray(content) ? content : [content]).map(partOf);

function partOf(value: unknown): Part {
  if (typeof value === "string") return { kind: "text", fields: {}, text: value };
  if (!isObject(value)) return { kind: "unknown", fields: {}, text: "" };
  const { type, thought, text, transcript, toolInvocation } = value;
  if (typeof type !== "string") {
    const [field, kind] = BY_FIELD.find(([name]) => value[name] !== undefined) ?? ["", "unknown"];
    const inner = value[field];
    if (kind === "text") return worded(thought === true ? "reasoning" : "text", value, inner);
    return { kind, fields: isObject(inner) ? inner : value, text: "" };
  }
  if (type === "non_standard") return partOf(value.value);
  if (isObject(toolInvocation)) return { kind: "tool", fields: toolInvocation, text: "" };
  const kind = isShownCall(value) ? "tool" : (kindOfType(type) ?? "unknown");
  // Words that were spoken.
  if (kind === "media" && textIn(transcript) !== undefined)
    return { kind: "text", fields: value, text: transcript as string };
  return kind === "text" ? worded(kind, value, text) : { kind, fields: value, text: "" };
}

/** Returns a part with words. OpenAI's threads have them in an object. */
function worded(kind: Kind, fields: Fields, given: unknown): Part {
  const text = isObject(given) ? given.value : given;
  return typeof text === "string" ? { kind, fields, text } : { kind: "unknown", fields, text: "" };
}

const callId = (of: Fields): string | undefined =>
  firstText(of.tool_call_id, of.tool_use_id, of.toolCallId, of.toolUseId, of.call_id, of.id);

const toolName = (of: Fields): string | undefined =>
  firstText(
    ...[of.name, of.toolName, isObject(of.function) ? of.function.name : undefined],
    typeof of.type === "string" && (isShownCall(of) || kindOfType(of.type) === "tool")
      ? of.type.slice(5)
      : undefined,
  );

/** Returns the words of a call: `scan({"port": 1})`. */
function wordsOfCall(of: Fields): string {
  const { function: called } = of;
  const given =
    of.input ?? of.args ?? of.arguments ?? (isObject(called) ? called.arguments : undefined);
  const written = given === undefined ? "" : typeof given === "string" ? given : jsonOf(given);
  return `${toolName(of) ?? textIn(of.type) ?? "tool"}(${written})`;
}

/** Returns the words of a tool's result: its text, or else JSON. */
function wordsOfResult(result: unknown): string {
  if (typeof result === "string") return result;
  if (Array.isArray(result)) return joined(result.map(wordsOfResult).filter((it) => it !== ""));
  if (!isObject(result)) return result == null ? "" : jsonOf(result);
  const { type, text, value } = result;
  if (typeof text === "string") return text;
  if (typeof type === "string" && value !== undefined) return wordsOfResult(value);
  return typeof type === "string" && kindOfType(type) === "media" ? "" : jsonOf(result);
}

const outputOf = (of: Fields): unknown =>
  of.output ?? of.result ?? of.response ?? of.content ?? of.errorText ?? of.error;

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? "";

/**
 * Joins texts of one message. A provider cuts a sentence where a citation begins, and then the
 * texts have their blanks and marks; otherwise each is a paragraph.
 */
function joined(texts: readonly string[]): string {
  const pieces = texts.map((text, place) => {
    const before = texts[place - 1]?.at(-1) ?? " ";
    return /\s/.test(before) || /^([\s,;:!?)]|\.(\s|$))/.test(text) ? text : `\n${text}`;
  });
  return pieces.join("");
}

/** Returns when a message was said; undefined if it has no time that can be read. */
function timeOf({ metadata, additional_kwargs, ...own }: Fields): string | undefined {
  for (const of of [own, metadata, additional_kwargs].filter(isObject))
    for (const time of [of.created_at, of.createdAt, of.timestamp]) {
      if (typeof time === "string" && parseInstant(time) !== undefined) return time;
      if (time instanceof Date && !Number.isNaN(time.getTime())) return time.toISOString();
      // Numbers of this size are seconds; larger ones are milliseconds.
      const instant = typeof time === "number" ? (time < 1e11 ? time * 1000 : time) : undefined;
      if (instant !== undefined && instant >= 0 && instant < 253_402_300_800_000)
        return toIso(instant);
    }
  return undefined;
}

/**
 * Reads messages of any known shape. Messages of the own shape stay as they are, unless they are
 * instructions or results of tools.
 *
 * @returns The turns in order, and what is not among them.
 */
export function turnsOf(
  messages: readonly unknown[],
  { tools, instructions = "skip" }: Taken = {},
): { turns: TurnOfMessage[]; not_taken: NotTaken[] } {
  const turns: TurnOfMessage[] = [];
  const counts = new Map<OtherContent, number>();
  const leaveOut = (kind: OtherContent) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const keepsTools = tools === "keep";
  /** The names of tools by the ids of their calls: a result often has the id alone. */
  const names = new Map<string, string>();
  const read = (place: number, given: unknown) => {
    const isOwn = !isProviderMessage(given);
    const message = isOwn ? (given as MessageToRemember) : undefined;
    const { role, fields, parts } = message
      ? { role: ROLES.get(message.role), fields: {}, parts: [] }
      : opened(given as ProviderMessage);
    if (role === "system" && instructions === "skip") {
      leaveOut("instructions");
      return;
    }
    if (message !== undefined && (role !== "tool" || keepsTools)) {
      turns.push({ place, message });
      return;
    }
    const name = role === undefined ? undefined : textIn(fields.name);
    const created_at = timeOf(fields);
    const shared = {
      role: role ?? "assistant",
      ...(name === undefined || name.length > MAX_NAME ? {} : { name }),
      ...(created_at === undefined ? {} : { created_at }),
    };
    let id = role === undefined ? undefined : textIn(fields.id);
    let texts: string[] = [];
    const say = () => {
      const content = joined(texts);
      texts = [];
      if (content === "") return;
      const its = id === undefined || id.length > MAX_NAME ? {} : { id };
      turns.push({ place, message: { ...shared, content, ...its } });
      id = undefined;
    };
    const called = (of: Fields) => {
      const [call, tool] = [callId(of), toolName(of)];
      if (call !== undefined && tool !== undefined) names.set(call, tool);
      if (!keepsTools) return leaveOut("tool_call");
      say();
      turns.push({ place, message: { ...shared, content: wordsOfCall(of) } });
    };
    const answered = (of: Fields, output: unknown) => {
      const tool = toolName(of) ?? names.get(callId(of) ?? "");
      if (!keepsTools) return leaveOut("tool_result");
      say();
      const { name: _, ...rest } = shared;
      const by = tool === undefined ? {} : { name: tool };
      const content = wordsOfResult(output);
      if (content !== "") turns.push({ place, message: { ...rest, role: "tool", ...by, content } });
    };
    // What a tool says is its result, in however many parts.
    const isResult = role === "tool" && !parts.some(({ kind }) => kind === "tool_result");
    if (isResult) answered(fields, fields.content ?? fields.parts);
    for (const { kind, fields: of, text } of isResult ? [] : parts) {
      if (kind === "text") texts.push(...(text === "" ? [] : [text]));
      else if (kind === "tool_call") called(of);
      else if (kind === "tool_result") answered(of, outputOf(of));
      else if (kind === "tool") {
        called(of);
        const output = outputOf(of);
        if (output !== undefined) answered(of, output);
      } else if (kind === "message") {
        say();
        read(place, { role: "user", id: of.id, parts: of.parts });
      } else if (kind !== "nothing") leaveOut(kind);
    }
    say();
  };
  for (const [place, given] of messages.entries()) read(place, given);
  const not_taken = Array.from(counts, ([kind, count]) => ({ kind, count, why: WHY_NOT[kind] }));
  return { turns, not_taken };
}
