// The commands `mcp`, `mcp install`, `mcp uninstall` and `hook`.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Argument, type Command, Option } from "commander";
import { createLog } from "../log.ts";
import { SettingsError } from "../refusal.ts";
import { DEFAULT_AGENT } from "../settings/agent-names.ts";
import { settingsOf, withOptions } from "../settings/flags.ts";
import type { ClientName } from "./install.ts";
import { keyOf } from "./key.ts";
import type { HookEvent } from "./session-hooks.ts";
import type { StartServer } from "./stdio.ts";
import { DEFAULT_TOOLS, TOOL_SETS, type ToolSet } from "./tool-sets.ts";

const CLIENT_NAMES = [
  ...["claude-desktop", "claude-code", "cline", "codex", "cursor", "gemini", "goose"],
  ...["opencode", "vscode", "windsurf", "zed"],
];

export function addMcpCommands(program: Command, version: string, startServer: StartServer): void {
  const mcp = withOptions(
    program
      .command("mcp")
      .description("serves the memory to a model by MCP, over standard input and output")
      .option("--agent <NAME>", "the agent", DEFAULT_AGENT)
      .addOption(toolsOption("the tools of the model")),
  ).action(async ({ agent, tools }: { agent: string; tools: ToolSet }, command: Command) => {
    const key = keyOf(process.env);
    const inForce = await settingsOf(command);
    const log = createLog({ ...inForce.settings, log_level: "warn" });
    const { serveStdio } = await import("./stdio.ts");
    const worker = new URL("./worker.mjs", import.meta.url);
    await serveStdio(inForce, { agent, tools, key, log, worker, version, startServer });
    process.exit(0);
  });
  const ofClient = (name: string, description: string) =>
    mcp
      .command(name)
      .description(description)
      .addOption(
        new Option("--client <NAME>", "the client").choices(CLIENT_NAMES).makeOptionMandatory(),
      )
      .option("--project [FOLDER]", "works on the configuration of a project instead of the user's")
      .option("--hooks", "the hooks of claude-code instead of the server: see docs/mcp.md")
      .option("--dry-run", "prints what would be, and writes nothing");
  ofClient("install", "writes the configuration of an MCP client, and keeps what is there")
    .option("--agent <NAME>", "the agent of the client", DEFAULT_AGENT)
    .addOption(toolsOption("the tools of the client"))
    .option("--data-dir <FOLDER>", "folder of the databases, if it is not the usual one")
    .action(async (_: object, command: Command) => {
      const given = givenTo(command);
      const { settings } = await settingsOf(command.parent!);
      const program = fileURLToPath(new URL("./cli.mjs", import.meta.url));
      const ours = [
        ...(given.agent === DEFAULT_AGENT ? [] : ["--agent", given.agent]),
        ...(given.tools === DEFAULT_TOOLS ? [] : ["--tools", given.tools]),
        // The client starts it elsewhere, where another folder would be the usual one.
        ...["--data-dir", settings.data_dir],
      ];
      const { installationOf, write } = await import("./install.ts");
      const { hooksOf } = await import("./install-hooks.ts");
      const common = { command: process.execPath, project: projectOf(given) };
      const installation = given.hooks
        ? hooksOf({ ...common, args: [program, ...ours] })
        : installationOf({ ...common, client: given.client, args: [program, "mcp", ...ours] });
      if (given.dryRun === true) {
        const what = given.hooks ? "these hooks" : "this server";
        console.log(`${installation.file} would have ${what}:\n\n${installation.entry}`);
        return;
      }
      const copy = write(installation);
      console.log(`Written: ${installation.file}`);
      if (copy !== undefined) console.log(`The file before: ${copy}`);
      console.log(`Restart ${given.client} to use it.`);
    });
  ofClient("uninstall", "removes the server from the configuration of an MCP client").action(
    async (_: object, command: Command) => {
      const given = givenTo(command);
      const { removalOf, write } = await import("./install.ts");
      const { hooksOf } = await import("./install-hooks.ts");
      const project = projectOf(given);
      const removal = given.hooks
        ? hooksOf({ command: "", args: undefined, project })
        : removalOf({ client: given.client, project });
      const { file, before, after } = removal;
      if (before === undefined || before === after) console.log(`Nothing to remove in ${file}.`);
      else if (given.dryRun === true) console.log(`${file} would be:\n\n${after}`);
      else {
        write(removal);
        console.log(`Removed from ${file}`);
      }
    },
  );
  addHookCommand(program, version, startServer);
}

const toolsOption = (description: string) =>
  new Option("--tools <SET>", description).choices(TOOL_SETS).default(DEFAULT_TOOLS);

/** The options of `mcp install` and `mcp uninstall`. */
interface Given {
  client: ClientName;
  agent: string;
  tools: ToolSet;
  project?: string | true;
  hooks?: true;
  dryRun?: true;
}

/** @throws {SettingsError} If another client is to have hooks, or hooks are to have tools. */
function givenTo(command: Command): Given {
  // The parent has options of the same names, which take the values.
  const given = { ...command.opts(), ...command.parent!.opts() } as Given;
  if (given.hooks === true && given.client !== "claude-code")
    throw new SettingsError(`--hooks is for --client claude-code: ${given.client} has none here.`);
  if (given.hooks === true && given.tools !== DEFAULT_TOOLS)
    throw new SettingsError(
      "--tools is for the server: hooks have no tools. Leave one of both out.",
    );
  return given;
}

const projectOf = ({ project }: Given): string | undefined =>
  project === undefined ? undefined : resolve(project === true ? "." : project);

function addHookCommand(program: Command, version: string, startServer: StartServer): void {
  withOptions(
    program
      .command("hook")
      .description("is run by Claude Code at the start and the end of a session; see docs/mcp.md")
      .addArgument(new Argument("<EVENT>", "the event").choices(["session-start", "session-end"]))
      .option("--agent <NAME>", "the agent", DEFAULT_AGENT),
  ).action(async (event: HookEvent, { agent }: { agent: string }, command: Command) => {
    const { text } = await import("node:stream/consumers");
    const { atEnd, atStart, inputOf } = await import("./session-hooks.ts");
    const { FoundServer } = await import("./stdio.ts");
    const input = inputOf(await text(process.stdin));
    const inForce = await settingsOf(command);
    const log = createLog({ ...inForce.settings, log_level: "warn" });
    const worker = new URL("./worker.mjs", import.meta.url);
    const key = keyOf(process.env);
    const server = new FoundServer(inForce, { agent, key, log, worker, version, startServer });
    try {
      if (event === "session-start") process.stdout.write(await atStart(input, server.ask));
      else await atEnd(input, server.ask);
    } finally {
      await server.stop();
    }
  });
}
