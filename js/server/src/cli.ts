#!/usr/bin/env node
// The program: `nous-server serve`, `config`, `check`, and what is done to data; see commands.ts.

import { Command } from "commander";
import { stringify } from "yaml";
import { checkAll } from "./check.ts";
import { addDataCommands } from "./commands.ts";
import { createLog } from "./log.ts";
import { startServer } from "./server.ts";
import { settingsOf, withOptions } from "./settings/flags.ts";
import { SettingsError } from "./settings/read.ts";

declare const __VERSION__: string;

async function run(command: Command): Promise<void> {
  const inForce = settingsOf(command);
  const { settings } = inForce;
  const log = createLog(settings);
  const worker = new URL("./worker.mjs", import.meta.url);
  const server = await startServer(inForce, { log, worker, version: __VERSION__ });
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, "Stopping");
    await server.stop();
    log.info("Stopped");
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  console.log(`nous-server ${__VERSION__} listens on ${server.url}`);
  console.log(`data: ${settings.data_dir}`);
}

function printConfig(command: Command): void {
  const { settings, engineYaml } = settingsOf(command);
  process.stdout.write(stringify({ ...settings, ...engineYaml }));
}

function check(command: Command): void {
  const { settings, engine } = settingsOf(command);
  let isSound = true;
  let count = 0;
  for (const { agent, file, nodes, edges, problems } of checkAll(settings.data_dir, engine)) {
    const verdict = problems.length === 0 ? "sound" : problems.join("; ");
    console.log(`${agent || file}: ${nodes} memories, ${edges} edges: ${verdict}`);
    isSound &&= problems.length === 0;
    count += 1;
  }
  if (count === 0) console.log(`There are no databases in ${settings.data_dir}.`);
  process.exitCode = isSound ? 0 : 1;
}

const program = new Command("nous-server")
  .description("A memory server for AI agents")
  .version(__VERSION__)
  .showHelpAfterError("(see --help)");
withOptions(program.command("serve", { isDefault: true }).description("serves until it is told to stop")).action(
  (_, command: Command) => run(command),
);
withOptions(program.command("config").description("prints what is in force, as YAML")).action((_, command: Command) =>
  printConfig(command),
);
withOptions(
  program.command("check").description("looks whether databases and full text are sound; exit code 1 if not"),
).action((_, command: Command) => check(command));
addDataCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  const { name, message } = error as Error;
  console.error(error instanceof SettingsError ? message : `nous-server: ${message || name}`);
  process.exit(1);
}
