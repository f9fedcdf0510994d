// Commands on the data on the disk. A server may be running, except where a description says
// otherwise.

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { NOTE_FORMATS, type NoteFormat } from "nous-memory";
import { serverBehaviourOf } from "./compat/server.ts";
import type { CopiedKeys } from "./keys/copy.ts";
import { SettingsError } from "./refusal.ts";
import { DEFAULT_AGENT } from "./settings/agent-names.ts";
import {
  isDatabaseUrl,
  isPostgres,
  isRemoteLibsql,
  NO_DATABASE_URL,
  REMOTE_LIBSQL,
  splitUrl,
  warnOfPassword,
} from "./settings/database-url.ts";
import { vectorSourcesOf } from "./settings/embeddings-model.ts";
import { settingsOf, withOptions } from "./settings/flags.ts";
import type { Settings } from "./settings/options.ts";
import { areFiles, checkAgentName, checkIsFiles, type Place, placeOf } from "./storage/place.ts";
import type { TargetOptions } from "./storage/target.ts";
import { CONFLICT_POLICIES, type ConflictPolicy } from "./transfer/conflict-policy.ts";
import { SOURCES, type Source } from "./transfer/moving/names.ts";

/** A command on an agent's database and a file. */
type DataCommand = (
  settings: Settings,
  agent: string,
  file: string,
  options: TargetOptions & { all?: true },
) => Promise<void>;

/** The option of commands that write a file of the user. */
const FORCE = ["--force", "overwrites an existing file"] as const;

export function addDataCommands(program: Command): void {
  addTransferCommands(program);
  addAgentCommands(
    program.command("agents").description("lists and deletes agents, and purges memories"),
  );
  const ofAgent = (name: string, description: string, work: DataCommand, more: Option[] = []) => {
    const own = program
      .command(name)
      .description(description)
      .argument("<FILE>")
      .option("--agent <NAME>", "the agent", DEFAULT_AGENT);
    for (const option of more) own.addOption(option);
    withOptions(own).action(
      async (
        file: string,
        { agent, ...options }: { agent: string } & TargetOptions,
        command: Command,
      ) => {
        const { settings } = await settingsOf(command);
        checkIsFiles(placeOf(settings), name);
        return work(settings, agent, resolve(file), options);
      },
    );
  };
  ofAgent(
    "backup",
    "copies an agent's database into a file, or all agents' into a folder",
    async (settings, agent, file, { all, ...options }) => {
      const { backUp, backUpAll } = await import("./backup.ts");
      const { data_dir } = settings;
      if (all !== true) {
        backUp(data_dir, agent, file, options);
        console.log(`The memory of ${agent} is copied to ${file}.`);
        return;
      }
      for (const copy of backUpAll(placeOf(settings), file, options))
        console.log(`The memory of ${copy.agent} is copied to ${copy.file}.`);
    },
    [
      new Option(...FORCE),
      new Option("--all", "copies every agent; FILE is a folder").conflicts("agent"),
    ],
  );
  ofAgent(
    "restore",
    "replaces an agent's database by a backup; no server may have it open",
    async ({ data_dir }, agent, file, { all }) => {
      checkAgentName(agent);
      const { restore, restoreAll } = await import("./backup.ts");
      const restored =
        all === true
          ? restoreAll(data_dir, file)
          : [{ agent, aside: restore(data_dir, agent, file) }];
      for (const one of restored) {
        console.log(`The memory of ${one.agent} is restored from ${file}.`);
        if (one.aside !== undefined) console.log(`The previous database is in ${one.aside}.`);
      }
    },
    [
      new Option("--all", "restores every agent that FILE, a folder, has a copy of").conflicts(
        "agent",
      ),
    ],
  );
  ofAgent(
    "adopt",
    "copies the database of a Hynous server, which has to be stopped, as a new agent",
    async (settings, agent, file) => {
      checkAgentName(agent);
      const { adopt } = await import("./backup.ts");
      const foreign = adopt(settings.data_dir, agent, file, vectorSourcesOf(settings));
      console.log(`The memory of ${agent} is a copy of ${file}.`);
      if (foreign !== undefined) console.log(foreign);
    },
  );
}

/** Stands for standard input and standard output. */
const STANDARD = "-";

function addTransferCommands(program: Command): void {
  addMoveCommand(program);
  const take = new Option(
    "--conflicts <HOW>",
    "how to treat rows whose ids exist (default: skip; of Markdown: newer)",
  );
  const from = new Option("--from <PROGRAM>", "imports the files of another program");
  withOptions(
    program
      .command("import")
      .description("imports lines of JSON, all or none, or files of another program")
      .argument("<FILE>", "a file; - is standard input; with --from also a folder or a URL")
      .option("--agent <NAME>", "the agent", DEFAULT_AGENT)
      .addOption(from.choices(SOURCES))
      .option(
        "--dry-run",
        "with --from: tells what would be stored and what not, and stores nothing",
      )
      .option("--skip-wrong", "with --from: leaves damaged parts out, in place of storing nothing")
      .addOption(take.choices(CONFLICT_POLICIES)),
  ).action(async (file: string, given: ImportFlags, command: Command) => {
    const { agent, conflicts, from: source, dryRun = false, skipWrong = false } = given;
    checkAgentName(agent);
    const { settings, engine, presets } = await settingsOf(command);
    const place = placeOf(settings);
    if (source !== undefined) {
      const { importFrom } = await import("./transfer/moving/commands.ts");
      const ranking = { preset: settings.preset, engine, presets };
      const how = { place, agent, ranking, conflicts, isDryRun: dryRun, skipsWrong: skipWrong };
      for (const line of await importFrom(source, file, how)) console.log(line);
      return;
    }
    if (dryRun || skipWrong)
      throw new SettingsError("--dry-run and --skip-wrong need --from: lines are all or none.");
    const { importFile } = await import("./transfer/commands.ts");
    const { added, replaced, skipped } = importFile(
      place,
      agent,
      fileOf(file),
      conflicts ?? "skip",
    );
    console.log(`${added} added, ${replaced} replaced, ${skipped} left out.`);
  });
  const to = new Option(
    "--to <FORM>",
    "markdown writes a file for each memory into the folder FILE",
  );
  withOptions(
    program
      .command("export")
      .description("writes a memory as lines of JSON, edges last, or for people and other programs")
      .argument("[FILE]", "the file to write, or - for standard output", STANDARD)
      .option("--agent <NAME>", "the agent", DEFAULT_AGENT)
      .addOption(to.choices(["jsonl", "markdown", "mem0"]).default("jsonl"))
      .option(...FORCE),
  ).action(
    async (
      given: string,
      { agent, to: form, ...options }: { agent: string; to: string } & TargetOptions,
      command: Command,
    ) => {
      const { exportFile } = await import("./transfer/commands.ts");
      const file = fileOf(given);
      const { settings, engine, presets } = await settingsOf(command);
      const place = placeOf(settings);
      const settled = { preset: settings.preset, engine, presets };
      if (form !== "jsonl") {
        const moving = await import("./transfer/moving/commands.ts");
        if (form === "markdown") {
          if (file === undefined)
            throw new SettingsError("--to markdown needs a folder: name one.");
          const done = moving.exportMarkdown(place, agent, file, { ...options, ranking: settled });
          for (const line of done) console.log(line);
          return;
        }
        const count = moving.exportToMem0(place, agent, file, options);
        if (file !== undefined) console.log(`${count} memories are in ${file}.`);
        return;
      }
      const { exportsLearned: withLearned } = serverBehaviourOf(settings.compat);
      const ranking = withLearned ? settled : undefined;
      const lines = exportFile(place, agent, file, { ...options, withLearned, ranking });
      if (file !== undefined) console.log(`${lines} lines are in ${file}.`);
    },
  );
  addWatchCommand(program);
}

/** The options of the command `import`. */
interface ImportFlags {
  agent: string;
  conflicts?: ConflictPolicy;
  from?: Source;
  dryRun?: boolean;
  skipWrong?: boolean;
}

function addWatchCommand(program: Command): void {
  const format = new Option("--format <FORM>", "how the notes are written");
  withOptions(
    program
      .command("watch")
      .description("lets memories follow the Markdown files of a folder, until it is stopped")
      .argument("<FOLDER>")
      .option("--agent <NAME>", "the agent", DEFAULT_AGENT)
      .addOption(format.choices(NOTE_FORMATS).default("markdown"))
      .option("--name <NAME>", "the name of the folder for the agent (default: its own)")
      .option("--once", "follows what has changed since the last time, and ends"),
  ).action(
    async (
      folder: string,
      given: { agent: string; format: NoteFormat; name?: string; once?: true },
      command: Command,
    ) => {
      const { agent, format, name, once = false } = given;
      checkAgentName(agent);
      const { followFolder } = await import("./transfer/moving/commands.ts");
      const { settings, engine, presets } = await settingsOf(command);
      const isSound = await followFolder(folder, {
        ...{ place: placeOf(settings), agent, format, name, once },
        ranking: { preset: settings.preset, engine, presets },
        tell: (line) => console.log(line),
        warn: (line) => console.error(line),
      });
      if (!isSound) process.exitCode = 1;
    },
  );
}

function addMoveCommand(program: Command): void {
  const place = "a data folder, or the URL of a PostgreSQL database";
  withOptions(
    program
      .command("move")
      .description(
        "copies agents and keys between data folders and PostgreSQL, and compares all rows",
      )
      .requiredOption("--from <PLACE>", place)
      .requiredOption("--to <PLACE>", place)
      .option("--agent <NAME...>", "the agents; default all, and the keys"),
  ).action(
    async (
      { from, to, agent: named }: { from: string; to: string; agent?: string[] },
      command: Command,
    ) => {
      const { moveAgents, moveKeys } = await import("./transfer/commands.ts");
      const { settings } = await settingsOf(command);
      const ends = { from: endOf(settings, "from", from), to: endOf(settings, "to", to) };
      // Before the agents: nobody shall come in at the new place without a key.
      if (named === undefined) tellOfKeys(await moveKeys(ends));
      let areEqual = true;
      for await (const { agent, rows, checksum, passes, differences } of moveAgents(ends, named)) {
        const counts = `${rows.node} memories, ${rows.edge} edges`;
        const proof =
          differences === 0
            ? `equal, checksum ${checksum}`
            : `${differences} rows were written meanwhile; run it again once no server writes`;
        console.log(`${agent}: ${counts}: ${proof} (${passes} passes)`);
        areEqual &&= differences === 0;
      }
      if (!areEqual) process.exitCode = 1;
    },
  );
}

function tellOfKeys({ count, copied, others }: CopiedKeys): void {
  if (count > 0) console.log(`keys: ${copied} copied, ${count - copied} were there`);
  for (const id of others)
    console.log(
      `${id} is not at the old place, or has other rights there: revoke it if it shall not count`,
    );
}

/** Returns the place that an end of a move names. */
function endOf(settings: Settings, option: string, given: string): Place {
  const isUrl = /^[a-z]+:\/\//.test(given);
  if (isRemoteLibsql(given)) throw new SettingsError(`--${option} ${REMOTE_LIBSQL}.`);
  if (isUrl && !(isPostgres(given) && isDatabaseUrl(given)))
    throw new SettingsError(
      `--${option} must be a data folder, or ${NO_DATABASE_URL.replace("must be ", "")}.`,
    );
  const { url, password } = isUrl ? splitUrl(given)! : { url: "", password: "" };
  if (password !== "") warnOfPassword(`--${option}`);
  const token = password || settings.database_token;
  return isUrl
    ? placeOf({ ...settings, database_url: url, database_token: token })
    : placeOf({ ...settings, data_dir: resolve(given), database_url: "" });
}

const fileOf = (given: string): string | undefined =>
  given === STANDARD ? undefined : resolve(given);

function addAgentCommands(agents: Command): void {
  withOptions(
    agents.command("list").description("lists agents, the bytes of their databases, and the files"),
  ).action(async (_, command: Command) => {
    const { agentsIn } = await import("./storage/hosted-agents.ts");
    const { settings } = await settingsOf(command);
    const { agentFile } = await import("./settings/paths.ts");
    const place = placeOf(settings);
    for (const { agent, bytes } of agentsIn(place)) {
      const file = areFiles(place) ? `\t${agentFile(place.dataDir, agent)}` : "";
      console.log(`${agent}\t${bytes}${file}`);
    }
  });
  withOptions(
    agents
      .command("delete")
      .description("deletes an agent with all its files; no server may have it open"),
  )
    .argument("<NAME>")
    .action(async (agent: string, _, command: Command) => {
      const { deleteAgent } = await import("./storage/hosted-agents.ts");
      const { settings } = await settingsOf(command);
      const place = placeOf(settings);
      if (!deleteAgent(place, agent))
        throw new Error(
          `there is no agent ${agent} in ${settings.database_url || settings.data_dir}`,
        );
      console.log(`The agent ${agent} is deleted.`);
    });
  withOptions(
    agents
      .command("purge")
      .description("deletes a memory, and removes its text from all files of the agent"),
  )
    .argument("<NAME>")
    .argument("<ID>")
    .action(async (agent: string, id: string, _, command: Command) => {
      const { purgeNode } = await import("./storage/hosted-agents.ts");
      const { settings } = await settingsOf(command);
      const place = placeOf(settings);
      const wasThere = purgeNode(place, agent, id);
      console.log(
        wasThere
          ? `${id} is purged.`
          : `${id} did not exist; remains of deleted memories are purged.`,
      );
    });
}
