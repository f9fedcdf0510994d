// Commands that do something to data on the disk. A server may be running unless it is said.

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { USUAL_AGENT } from "./settings/agent-names.ts";
import { settingsOf, withOptions } from "./settings/flags.ts";
import type { Settings } from "./settings/options.ts";
import { checkAgentName, checkIsFiles, placeOf } from "./storage/place.ts";
import type { TargetOptions } from "./storage/target.ts";
import { CONFLICT_POLICIES, type ConflictPolicy } from "./transfer/conflict-policy.ts";

/** What is done with an agent's memory and a file. */
type DataCommand = (
  settings: Settings,
  agent: string,
  file: string,
  options: TargetOptions,
) => Promise<void>;

/** Of commands that write a file of the user's. */
const FORCE = ["--force", "writes over a file that is there"] as const;

export function addDataCommands(program: Command): void {
  addTransferCommands(program);
  addAgentCommands(
    program.command("agents").description("what agents there are, and how to be rid of them"),
  );
  const ofAgent = (name: string, description: string, work: DataCommand, more: Option[] = []) => {
    const own = program
      .command(name)
      .description(description)
      .argument("<FILE>")
      .option("--agent <NAME>", "whose memory", USUAL_AGENT);
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
    "copies an agent's database into a file",
    async ({ data_dir }, agent, file, options) => {
      const { backUp } = await import("./backup.ts");
      backUp(data_dir, agent, file, options);
      console.log(`The memory of ${agent} is in ${file}.`);
    },
    [new Option(...FORCE)],
  );
  ofAgent(
    "restore",
    "puts a backup in the place of an agent's database, which nobody may be using",
    async (...given) => {
      const [{ data_dir }, agent, file] = given;
      checkAgentName(agent);
      const { restore } = await import("./backup.ts");
      const aside = await restore(data_dir, agent, file);
      console.log(`The memory of ${agent} is that of ${file}.`);
      if (aside !== undefined) console.log(`What it was before is in ${aside}.`);
    },
  );
  ofAgent(
    "adopt",
    "takes in a database of the existing server, which has to be stopped",
    async ({ data_dir }, agent, file) => {
      checkAgentName(agent);
      const { adopt } = await import("./backup.ts");
      await adopt(data_dir, agent, file);
      console.log(`The memory of ${agent} is a copy of ${file}.`);
    },
  );
}

/** What stands for the standard input and the standard output. */
const STANDARD = "-";

function addTransferCommands(program: Command): void {
  const take = new Option("--conflicts <HOW>", "what becomes of what is there already");
  withOptions(
    program
      .command("import")
      .description("takes in lines of JSON, all of them or none; - is the standard input")
      .argument("<FILE>")
      .option("--agent <NAME>", "whose memory", USUAL_AGENT)
      .addOption(take.choices(CONFLICT_POLICIES).default("skip")),
  ).action(
    async (
      file: string,
      { agent, conflicts }: { agent: string; conflicts: ConflictPolicy },
      command: Command,
    ) => {
      checkAgentName(agent);
      const { importFile } = await import("./transfer/commands.ts");
      const { settings } = await settingsOf(command);
      const { added, replaced, skipped } = importFile(
        placeOf(settings),
        agent,
        fileOf(file),
        conflicts,
      );
      console.log(`${added} added, ${replaced} replaced, ${skipped} left out.`);
    },
  );
  withOptions(
    program
      .command("export")
      .description("writes a memory as lines of JSON, edges last")
      .argument("[FILE]", "where to; the standard output unless it is said", STANDARD)
      .option("--agent <NAME>", "whose memory", USUAL_AGENT)
      .option(...FORCE),
  ).action(
    async (
      given: string,
      { agent, ...options }: { agent: string } & TargetOptions,
      command: Command,
    ) => {
      const { exportFile } = await import("./transfer/commands.ts");
      const file = fileOf(given);
      const { settings } = await settingsOf(command);
      const lines = exportFile(placeOf(settings), agent, file, options);
      if (file !== undefined) console.log(`${lines} lines are in ${file}.`);
    },
  );
}

const fileOf = (given: string): string | undefined =>
  given === STANDARD ? undefined : resolve(given);

function addAgentCommands(agents: Command): void {
  withOptions(
    agents.command("list").description("lists agents and the bytes of their databases"),
  ).action(async (_, command: Command) => {
    const { agentsIn } = await import("./storage/hosted-agents.ts");
    const { settings } = await settingsOf(command);
    for (const { agent, bytes } of await agentsIn(placeOf(settings)))
      console.log(`${agent}\t${bytes}`);
  });
  withOptions(
    agents
      .command("delete")
      .description("deletes an agent with all its files, which nobody may be using"),
  )
    .argument("<NAME>")
    .action(async (agent: string, _, command: Command) => {
      const { deleteAgent } = await import("./storage/hosted-agents.ts");
      const { settings } = await settingsOf(command);
      const { data_dir } = settings;
      checkIsFiles(placeOf(settings), "agents delete");
      if (!(await deleteAgent(data_dir, agent)))
        throw new Error(`there is no agent ${agent} in ${data_dir}`);
      console.log(`The agent ${agent} is deleted.`);
    });
  withOptions(
    agents
      .command("purge")
      .description("deletes a memory, so that its text is in none of an agent's files"),
  )
    .argument("<NAME>")
    .argument("<ID>")
    .action(async (agent: string, id: string, _, command: Command) => {
      const { purgeNode } = await import("./storage/hosted-agents.ts");
      const { settings } = await settingsOf(command);
      const { data_dir, durability } = settings;
      checkIsFiles(placeOf(settings), "agents purge");
      const wasThere = purgeNode(data_dir, agent, id, durability);
      console.log(
        wasThere
          ? `${id} is purged.`
          : `${id} was not there; what was left of anything deleted is purged.`,
      );
    });
}
