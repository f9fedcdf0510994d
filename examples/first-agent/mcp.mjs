// One turn of an agent: node mcp.mjs "I am allergic to walnuts"
import { createMCPClient } from "@ai-sdk/mcp";
import { openai } from "@ai-sdk/openai";
import { generateText, isStepCount } from "ai";

const url = process.env.MEMORY_URL ?? "http://127.0.0.1:3100";
const memory = await createMCPClient({ transport: { type: "http", url: `${url}/mcp` } });
const said = process.argv[2];
const { text } = await generateText({
  model: openai.chat(process.env.MODEL ?? "gpt-5-mini"),
  instructions: `You are a careful cook. ${memory.instructions}`,
  prompt: said,
  tools: await memory.tools(),
  stopWhen: isStepCount(5),
});
console.log(text);
await memory.close();
