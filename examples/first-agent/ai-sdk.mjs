// One turn of an agent: node ai-sdk.mjs "I am allergic to walnuts"
import { openai } from "@ai-sdk/openai";
import { generateText } from "ai";

const url = process.env.MEMORY_URL ?? "http://127.0.0.1:3100";
async function memory(call, fields) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(fields);
  const response = await fetch(`${url}/v1/${call}`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const said = process.argv[2];
const turn = await memory("context", { input: said, identity: "You are a careful cook." });
if (!turn.signals.is_question) await memory("remember", { text: said });
const model = openai.chat(process.env.MODEL ?? "gpt-5-mini");
const { text } = await generateText({ model, instructions: turn.prompt, prompt: said });
console.log(text);
