// One turn of an agent: node langgraph.mjs "I am allergic to walnuts"
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { entrypoint } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";

const url = process.env.MEMORY_URL ?? "http://127.0.0.1:3100";
async function memory(call, fields) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(fields);
  const response = await fetch(`${url}/v1/${call}`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const model = new ChatOpenAI({ model: process.env.MODEL ?? "gpt-5-mini" });
const agent = entrypoint("cook", async (said) => {
  const turn = await memory("context", { input: said, identity: "You are a careful cook." });
  if (!turn.signals.is_question) await memory("remember", { text: said });
  return (await model.invoke([new SystemMessage(turn.prompt), new HumanMessage(said)])).text;
});
console.log(await agent.invoke(process.argv[2]));
