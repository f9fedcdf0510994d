// The agents of `docs/first-agent.md`: the page shows the programs of `examples/first-agent`, and each
// of them, run as it is against a fake model, remembers in one process for the next.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ANSWER, type ChatRequest, type FakeModel, fakeModel } from "./support/fake-model.ts";
import { keyIn } from "./support/keys.ts";
import { type Running, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const AGENTS = join(root, "examples", "first-agent");
const NAMES = readdirSync(AGENTS).sort();
const codeOf = (name: string) => readFileSync(join(AGENTS, name), "utf8");

const FACT = "I am allergic to walnuts";
const QUESTION = "what may I not eat?";
/** The agents that leave it to the model to call the memory. */
const BY_TOOLS = ["mcp.mjs"];

describe("the page", () => {
  const page = readFileSync(join(root, "docs", "first-agent.md"), "utf8");

  test("shows each program as it is", () => {
    const shown = Array.from(
      page.matchAll(/^```(?:js|python)\n([\s\S]*?)^```$/gm),
      ([, code]) => code,
    );
    expect(shown.sort()).toEqual(NAMES.map(codeOf).sort());
    for (const name of NAMES) expect(page).toContain(`(../examples/first-agent/${name})`);
  });

  test("shows the prompt that the memory writes, but for the day", async () => {
    const server = await start(temporaryFolder());
    await server.ask("POST /remember", { text: FACT });
    const identity = "You are a careful cook.";
    const { body } = await server.ask("POST /context", { input: QUESTION, identity });
    const withoutDay = (text: string) => text.replace(/\(noted on .*\)/, "(noted)");
    expect(withoutDay(page.replace(/^ {4}/gm, ""))).toContain(`\n\n${withoutDay(body.prompt)}\n\n`);
  });

  test.each(NAMES)("promises 15 lines at most beside imports: %s has no more", (name) => {
    const lines = codeOf(name)
      .split("\n")
      .filter((line) => !/^\s*($|\/\/|#|import\b|from\b)/.test(line));
    expect(lines.length).toBeLessThanOrEqual(15);
  });
});

describe("an agent", () => {
  test.each(NAMES)("%s remembers in one process for the next", async (name) => {
    const server = await start(temporaryFolder());
    const model = await fakeModel();
    expect(await run(name, FACT, server, model)).toEqual({ code: 0, out: ANSWER, wrong: "" });
    expect(promptOf(model.received[0]!, FACT)).not.toContain("walnuts");
    const { body } = await server.ask("GET /nodes");
    expect(body.data).toMatchObject([{ content_title: FACT, type: "preference" }]);

    model.received.length = 0;
    expect(await run(name, QUESTION, server, model)).toEqual({ code: 0, out: ANSWER, wrong: "" });
    expect(promptOf(model.received.at(-1)!, QUESTION)).toContain(
      "I am allergic to walnuts (noted on",
    );
    expect(model.received).toHaveLength(BY_TOOLS.includes(name) ? 2 : 1);
    // A question tells nothing.
    expect((await server.ask("GET /nodes")).body.data).toHaveLength(1);
  });

  test.each(NAMES)("%s ends with an error if the memory does not answer", async (name) => {
    const model = await fakeModel();
    const { code, out } = await run(name, FACT, { url: "http://127.0.0.1:1" }, model);
    expect([code, out]).toEqual([1, ""]);
    expect(model.received).toEqual([]);
  });
});

describe("an agent whose memory refuses", () => {
  test.each(NAMES.filter((name) => !BY_TOOLS.includes(name)))("%s tells why", async (name) => {
    const folder = temporaryFolder();
    await keyIn(folder, { agents: "all", scopes: ["memory"], creates_agents: false });
    const server = await start(folder);
    const model = await fakeModel();
    const { status, body } = await server.ask("POST /context", { input: FACT });
    expect(status).toBe(401);
    const { code, out, wrong } = await run(name, FACT, server, model);
    expect([code, out]).toEqual([1, ""]);
    expect(wrong).toContain(JSON.stringify(body.error));
    expect(model.received).toEqual([]);
  });
});

/** Returns a request without the words of the user and of the model: instructions, and tools' answers. */
function promptOf({ messages }: ChatRequest, said: string): string {
  const words = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  expect(words).toEqual([said]);
  const others = messages.filter(({ role }) => role !== "user" && role !== "assistant");
  return JSON.stringify(others.map(({ content }) => content));
}

/** Runs a turn of an agent in a process of its own, with no environment but that of the page. */
async function run(name: string, said: string, server: Pick<Running, "url">, model: FakeModel) {
  const program = name.endsWith(".py") ? "python3" : process.execPath;
  const child = spawn(program, [join(AGENTS, name), said], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      MEMORY_URL: server.url,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: model.key,
    },
  });
  let [out, wrong] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    wrong += text;
  });
  const code = await new Promise<number | null>((ended, failed) => {
    child.once("error", failed);
    child.once("close", ended);
  });
  return { code, out: out.trim(), wrong };
}
