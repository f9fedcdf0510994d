// The commands `mcp` and `mcp install`.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, Option } from "commander";
import { createLog } from "../log.ts";
import { DEFAULT_AGENT } from "../settings/agent-names.ts";
import { settingsOf, withOptions } from "../settings/flags.ts";
import type { ClientName } from "./install.ts";
import { keyOf } from "./key.ts";
import type { StartServer } from "./stdio.ts";

const CLIENT_NAMES = ["claude-desktop", "claude-code", "cursor", "vscode", "zed"];

export function addMcpCommands(program: Command, version: string, startServer: StartServer): void {
  const mcp = withOptions(
    program
      .command("mcp")
      .description("serves the memory to a model by MCP, over standard input and output")
      .option("--agent <NAME>", "the agent", DEFAULT_AGENT),
  ).action(async ({ agent }: { agent: string }, command: Command) => {
    const key = keyOf(process.env);
    const inForce = await settingsOf(command);
    const log = createLog({ ...inForce.settings, log_level: "warn" });
    const { serveStdio } = await import("./stdio.ts");
    const worker = new URL("./worker.mjs", import.meta.url);
    await serveStdio(inForce, { agent, key, log, worker, version, startServer });
    process.exit(0);
  });
  mcp
    .command("install")
    .description("writes the configuration of an MCP client, and keeps what is there")
    .addOption(
      new Option("--client <NAME>", "the client").choices(CLIENT_NAMES).makeOptionMandatory(),
    )
    .option("--agent <NAME>", "the agent of the client", DEFAULT_AGENT)
    .option("--data-dir <FOLDER>", "folder of the databases, if it is not the usual one")
    .option("--project [FOLDER]", "writes the configuration of a project instead of the user's")
    .option("--dry-run", "prints the file, and writes nothing")
    .action(async (_: object, command: Command) => {
      // The parent has options of the same names, which take the values.
      const given = { ...command.opts(), ...command.parent!.opts() } as {
        client: ClientName;
        agent: string;
        project?: string | true;
        dryRun?: true;
      };
      const { settings } = await settingsOf(command.parent!);
      const { installationOf, write } = await import("./install.ts");
      const program = fileURLToPath(new URL("./cli.mjs", import.meta.url));
      const installation = installationOf({
        client: given.client,
        command: process.execPath,
        args: [
          ...[program, "mcp"],
          ...(given.agent === DEFAULT_AGENT ? [] : ["--agent", given.agent]),
          // The client starts it elsewhere, where another folder would be the usual one.
          ...["--data-dir", settings.data_dir],
        ],
        project:
          given.project === undefined
            ? undefined
            : resolve(given.project === true ? "." : given.project),
      });
      if (given.dryRun === true) {
        console.log(`${installation.file} would have this server:\n\n${installation.entry}`);
        return;
      }
      const copy = write(installation);
      console.log(`Written: ${installation.file}`);
      if (copy !== undefined) console.log(`The file before: ${copy}`);
      console.log(`Restart ${given.client} to use it.`);
    });
}
