// The command line: `nous-server serve`, `config`, `check`, `bench`, and the commands on data in
// commands.ts. Modules that one command alone needs are imported by that command, so that the
// server starts faster.

import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { addDataCommands } from "./commands.ts";
import type { BuiltIn } from "./embeddings/built-in.ts";
import type { EmbeddingRun } from "./embeddings/commands.ts";
import { requireTransformer } from "./embeddings/required-package.ts";
import { addKeyCommands } from "./keys/commands.ts";
import { createLog } from "./log.ts";
import { addMcpCommands } from "./mcp/commands.ts";
import { SettingsError } from "./refusal.ts";
import { startServer } from "./server.ts";
import { DEFAULT_AGENT } from "./settings/agent-names.ts";
import { TABLES, vectorSourcesOf } from "./settings/embeddings-model.ts";
import { settingsOf, withOptions } from "./settings/flags.ts";
import { nearest } from "./settings/nearest.ts";
import { OPTION_NAMES, OPTIONS, type Settings } from "./settings/options.ts";
import { agentsDir } from "./settings/paths.ts";
import { addPresetCommands } from "./settings/preset-commands.ts";
import { makeFolderOf } from "./storage/make-folder.ts";
import { areFiles, placeOf } from "./storage/place.ts";

declare const __VERSION__: string;

async function run({ sample = false }: { sample?: boolean }, command: Command): Promise<void> {
  const inForce = await settingsOf(command);
  const { settings } = inForce;
  const log = createLog(settings);
  if (sample) {
    const { fillWithSample } = await import("./transfer/commands.ts");
    if (areFiles(placeOf(settings))) makeFolderOf(settings.data_dir, agentsDir(settings.data_dir));
    const isFilled = fillWithSample(placeOf(settings), DEFAULT_AGENT);
    if (!isFilled) log.warn("The memory is not empty: the sample was not added");
  }
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
  console.log(`page: ${server.url}/`);
  console.log(`data: ${settings.database_url || settings.data_dir}`);
}

async function printConfig(command: Command): Promise<void> {
  const { stringify } = await import("./settings/yaml.ts");
  const { settings, engine } = await settingsOf(command);
  const shown = Object.fromEntries(
    OPTION_NAMES.map((name) => [
      name,
      OPTIONS[name].isSecret && settings[name] !== "" ? "(hidden)" : settings[name],
    ]),
  );
  process.stdout.write(stringify({ ...shown, ...engine }));
}

/**
 * Returns what backfill and reembed need. A signal stops the run between two batches; the next run
 * continues there.
 */
async function makingOf(command: Command): Promise<EmbeddingRun> {
  const { settings } = await settingsOf(command);
  const log = createLog(settings);
  const { embedderOf } = await import("./embeddings/configured.ts");
  requireTransformer(settings);
  const embedder = embedderOf(settings, log);
  if (embedder === undefined)
    throw new SettingsError("embeddings_provider is none: set it to make vectors.");
  const end = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () =>
      end.abort(new SettingsError("Stopped; the next run goes on from here.")),
    );
  }
  const progress = (agent: string, made: number) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${agent}: ${made} vectors`);
  };
  return { settings, embedder, log, signal: end.signal, progress };
}

/** Returns the table of the server if it makes vectors of memories; else undefined. */
async function tableFor(settings: Settings): Promise<BuiltIn | undefined> {
  const { table, maker } = vectorSourcesOf(settings);
  if (table === undefined || maker !== undefined) return undefined;
  const { loadEmbedder } = await import("nous-embedder");
  return loadEmbedder(TABLES[table]);
}

/** Yields the reports of all agents: by the server's table, else by the embedder, which is closed. */
async function* reportsOf<Report>(
  command: Command,
  byTable: (settings: Settings, table: BuiltIn) => AsyncIterable<Report>,
  byEmbedder: (making: EmbeddingRun) => AsyncIterable<Report>,
): AsyncIterable<Report> {
  const { settings } = await settingsOf(command);
  const table = await tableFor(settings);
  if (table !== undefined) {
    yield* byTable(settings, table);
    return;
  }
  const making = await makingOf(command);
  try {
    yield* byEmbedder(making);
  } finally {
    await making.embedder.close();
  }
}

async function backfill(command: Command): Promise<void> {
  const { backfillAll, backfillByTable } = await import("./embeddings/commands.ts");
  for await (const report of reportsOf(command, backfillByTable, backfillAll)) {
    const { agent, ok, embedded, total } = report;
    console.log(`${agent}: ${embedded} of ${total} memories that waited have a vector now`);
    if (!ok) process.exitCode = 1;
  }
}

async function makeAnew(command: Command): Promise<void> {
  const { reembedAll, reembedByTable } = await import("./embeddings/commands.ts");
  for await (const report of reportsOf(command, reembedByTable, reembedAll)) {
    const { agent, embedded, rejected } = report;
    const without =
      rejected === 0 ? "" : `; the model rejects ${rejected} texts, which have no vector`;
    console.log(`${agent}: ${embedded} vectors made, and put in use${without}`);
  }
}

async function check(command: Command): Promise<void> {
  const { checkAll } = await import("./check.ts");
  const { settings, engine } = await settingsOf(command);
  let isSound = true;
  let count = 0;
  for (const { agent, where, nodes, edges, problems } of checkAll(placeOf(settings), engine)) {
    const verdict = problems.length === 0 ? "sound" : problems.join("; ");
    console.log(`${agent || where}: ${nodes} memories, ${edges} edges: ${verdict}`);
    isSound &&= problems.length === 0;
    count += 1;
  }
  if (count === 0) console.log(`No databases in ${settings.data_dir}.`);
  if (!isSound) process.exitCode = 1;
}

async function measure(
  { own, agent, json, config }: { own?: true; agent: string; json?: true; config?: string },
  command: Command,
): Promise<void> {
  const { bench, describeBench } = await import("./bench.ts");
  const { settings } = await settingsOf(command);
  if (process.stderr.isTTY) console.error("This takes about half a minute.");
  const program = fileURLToPath(new URL("./cli.mjs", import.meta.url));
  const report = await bench({
    program,
    settings,
    config,
    own: own === undefined ? undefined : agent,
  });
  console.log(json ? JSON.stringify(report) : describeBench(report));
}

const program = new Command("nous-server")
  .description("A memory server for AI agents")
  .version(__VERSION__)
  .showHelpAfterError("(see --help)");
withOptions(
  program
    .command("serve", { isDefault: true })
    .description("serves until it is stopped")
    .option("--sample", "adds a sample to an empty memory first")
    // An unknown command is parsed as this argument.
    .argument("[word]"),
)
  .usage("[options]")
  .action((word: string | undefined, given: { sample?: boolean }, command: Command) => {
    if (word === undefined) return run(given, command);
    const meant = nearest(
      word,
      program.commands.map((known) => known.name()),
    );
    const hint = meant === undefined ? "" : `\n(Did you mean ${meant}?)`;
    return program.error(`error: unknown command '${word}'${hint}`);
  });
withOptions(program.command("config").description("prints the effective settings, as YAML")).action(
  (_, command: Command) => printConfig(command),
);
withOptions(
  program
    .command("check")
    .description("checks databases and full text; exit code 1 if one is not sound"),
).action((_, command: Command) => check(command));
withOptions(
  program
    .command("backfill")
    .description("makes the missing vectors; continues where it was stopped"),
).action((_, command: Command) => backfill(command));
withOptions(
  program
    .command("reembed")
    .description(
      "makes all vectors again with the configured model, and switches to them after the last one",
    ),
).action((_, command: Command) => makeAnew(command));
withOptions(
  program
    .command("bench")
    .description("measures the server on this machine, in a temporary folder")
    .option("--own", "measures a copy of an agent's memory instead of generated memories")
    .option("--agent <NAME>", "the agent for --own", DEFAULT_AGENT)
    .option("--json", "prints JSON"),
).action((given: { own?: true; agent: string; json?: true; config?: string }, command: Command) =>
  measure(given, command),
);
addDataCommands(program);
addKeyCommands(program);
addMcpCommands(program, __VERSION__, startServer);
addPresetCommands(program);

program.hook("preAction", (_, action) => {
  // `mcp` speaks over its output, and ends with its client.
  if (action.name() !== "mcp") process.stdout.on("error", endsWithReader);
});

/** A program that reads the output, such as `head`, has ended: the output is not complete. */
function endsWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exitCode = 1;
}

try {
  await program.parseAsync();
} catch (error) {
  const { name, message } = error as Error;
  console.error(error instanceof SettingsError ? message : `nous-server: ${message || name}`);
  // What was printed before may still be on its way into a pipe.
  process.stdout.write("", () => process.exit(1));
}
