// A conversation in a canonical form, and the same conversation as each model provider writes it.

import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";

/** A part of a canonical message. */
export type CanonicalPart =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "image" }
  | { kind: "call"; id: string; name: string; input: Record<string, unknown>; output: string };

/** A canonical message. A call of a tool has its result, which some shapes write as a message. */
export interface CanonicalMessage {
  role: "user" | "assistant" | "system";
  parts: readonly CanonicalPart[];
}

type Written = Record<string, unknown>;
type Write = (messages: readonly CanonicalMessage[]) => Written[];
type Call = Extract<CanonicalPart, { kind: "call" }>;

const IMAGE = "https://example.org/tent.png";
const callsOf = ({ parts }: CanonicalMessage): Call[] =>
  parts.filter((part): part is Call => part.kind === "call");
const restOf = ({ parts }: CanonicalMessage) => parts.filter(({ kind }) => kind !== "call");

/** Writes a message of parts, and the results of its calls as messages after it. */
const inMessages =
  (write: (message: CanonicalMessage) => Written[], result: (call: Call) => Written): Write =>
  (messages) =>
    messages.flatMap((message) => [...write(message), ...callsOf(message).map(result)]);

const openAiPart = (part: CanonicalPart) =>
  part.kind === "text"
    ? { type: "text", text: part.text }
    : { type: "image_url", image_url: { url: IMAGE } };

/** Content as a text if it is one, as the clients of providers write it. */
const shortest = (parts: readonly CanonicalPart[], list: unknown[]): unknown =>
  parts.length === 0
    ? null
    : parts.length === 1 && parts[0]!.kind === "text"
      ? parts[0]!.text
      : list;

const langChainOf = (messages: readonly CanonicalMessage[]) =>
  messages.flatMap((message) => {
    const content = restOf(message).map((part) =>
      part.kind === "reasoning" ? { type: "reasoning", reasoning: part.text } : openAiPart(part),
    );
    const calls = callsOf(message).map(({ id, name, input }) => ({ id, name, args: input }));
    const said =
      message.role === "user"
        ? new HumanMessage({ content })
        : message.role === "system"
          ? new SystemMessage({ content })
          : new AIMessage({ content, tool_calls: calls });
    const results = callsOf(message).map(
      ({ id, name, output }) => new ToolMessage({ content: output, tool_call_id: id, name }),
    );
    return [said, ...results];
  });

/** Each shape, by its name. */
export const SHAPES: Readonly<Record<string, Write>> = {
  "OpenAI, chat completions": inMessages(
    (message) => {
      const said = restOf(message).filter(({ kind }) => kind !== "reasoning");
      const reasoning = message.parts.filter((part) => part.kind === "reasoning");
      const calls = callsOf(message).map(({ id, name, input }) => ({
        ...{ id, type: "function" },
        function: { name, arguments: JSON.stringify(input) },
      }));
      return [
        // Its models show no reasoning; those that speak its language have one text of it.
        ...reasoning.map(({ text }) => ({ role: "assistant", content: null, reasoning: text })),
        {
          role: message.role === "system" ? "developer" : message.role,
          content: shortest(said, said.map(openAiPart)),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
          ...(message.role === "assistant" ? { refusal: null, annotations: [] } : {}),
        },
      ];
    },
    ({ id, output }) => ({ role: "tool", tool_call_id: id, content: output }),
  ),
  "OpenAI, responses": (messages) =>
    messages.flatMap((message) => {
      const said = restOf(message).filter(({ kind }) => kind !== "reasoning");
      const kind = message.role === "assistant" ? "output_text" : "input_text";
      const content = said.map((part) =>
        part.kind === "text"
          ? { type: kind, text: part.text, annotations: [] }
          : { type: "input_image", image_url: IMAGE },
      );
      return [
        ...message.parts
          .filter((part) => part.kind === "reasoning")
          .map(({ text }) => ({ type: "reasoning", summary: [{ type: "summary_text", text }] })),
        { type: "message", role: message.role, status: "completed", content },
        ...callsOf(message).flatMap(({ id, name, input, output }): Written[] => [
          {
            ...{ type: "function_call", id: `fc_${id}`, call_id: id, name },
            arguments: JSON.stringify(input),
          },
          { type: "function_call_output", call_id: id, output },
        ]),
      ];
    }),
  Anthropic: inMessages(
    ({ role, parts }) => [
      {
        role,
        content: parts.map((part) =>
          part.kind === "text"
            ? { type: "text", text: part.text, citations: null }
            : part.kind === "reasoning"
              ? { type: "thinking", thinking: part.text, signature: "x" }
              : part.kind === "image"
                ? { type: "image", source: { type: "url", url: IMAGE } }
                : { type: "tool_use", id: part.id, name: part.name, input: part.input },
        ),
      },
    ],
    ({ id, output }) => ({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: output }] },
      ],
    }),
  ),
  Google: inMessages(
    ({ role, parts }) => [
      {
        role: role === "assistant" ? "model" : role,
        parts: parts.map((part) =>
          part.kind === "text"
            ? { text: part.text }
            : part.kind === "reasoning"
              ? { text: part.text, thought: true }
              : part.kind === "image"
                ? { inlineData: { mimeType: "image/png", data: "" } }
                : {
                    functionCall: { id: part.id, name: part.name, args: part.input },
                    thoughtSignature: "x",
                  },
        ),
      },
    ],
    ({ id, name, output }) => ({
      role: "user",
      parts: [{ functionResponse: { id, name, response: { type: "text", text: output } } }],
    }),
  ),
  "Amazon Bedrock": inMessages(
    ({ role, parts }) => [
      {
        role,
        content: parts.map((part) =>
          part.kind === "text"
            ? { text: part.text }
            : part.kind === "reasoning"
              ? { reasoningContent: { reasoningText: { text: part.text } } }
              : part.kind === "image"
                ? { image: { format: "png", source: { bytes: "" } } }
                : { toolUse: { toolUseId: part.id, name: part.name, input: part.input } },
        ),
      },
    ],
    ({ id, output }) => ({
      role: "user",
      content: [{ toolResult: { toolUseId: id, content: [{ text: output }] } }],
    }),
  ),
  "AI SDK, UI messages": (messages) =>
    messages.map(({ role, parts }, place) => ({
      ...{ id: `m${place}`, role },
      parts: parts.flatMap((part): Written[] =>
        part.kind === "text"
          ? [{ type: "step-start" }, { type: "text", text: part.text, state: "done" }]
          : part.kind === "reasoning"
            ? [{ type: "reasoning", text: part.text }]
            : part.kind === "image"
              ? [{ type: "file", mediaType: "image/png", url: IMAGE }]
              : [
                  {
                    ...{ type: `tool-${part.name}`, toolCallId: part.id },
                    ...{ state: "output-available", input: part.input, output: part.output },
                  },
                ],
      ),
    })),
  "AI SDK, model messages": inMessages(
    ({ role, parts }) => [
      {
        role,
        content: shortest(
          parts,
          parts.map((part) =>
            part.kind === "call"
              ? {
                  ...{ type: "tool-call", toolCallId: part.id },
                  ...{ toolName: part.name, input: part.input },
                }
              : part.kind === "image"
                ? { type: "image", image: IMAGE }
                : { type: part.kind, text: part.text },
          ),
        ),
      },
    ],
    ({ id, name, output }) => ({
      role: "tool",
      content: [
        {
          ...{ type: "tool-result", toolCallId: id, toolName: name },
          output: { type: "text", value: output },
        },
      ],
    }),
  ),
  "LangChain, objects": (messages) => langChainOf(messages).map((message) => ({ ...message })),
  "LangChain, dictionaries": (messages) =>
    langChainOf(messages).map((message) => message.toDict() as unknown as Written),
  "LangChain, serialised": (messages) =>
    langChainOf(messages).map((message) => JSON.parse(JSON.stringify(message)) as Written),
};
