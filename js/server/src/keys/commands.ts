// Commands for keys. A running server applies their changes at once, with PostgreSQL within a second.

import { type Command, Option } from "commander";
import { SCOPES, type Scope } from "../api/operation.ts";
import { AGENT_NAME, isAgentName } from "../settings/agent-names.ts";
import { settingsOf, withOptions } from "../settings/flags.ts";
import { placeOf } from "../storage/place.ts";
import { HOW_WITHOUT, KeyError, type Rights } from "./keys.ts";
import { keysAt } from "./open.ts";
import type { KeyStore } from "./store.ts";

const REFUSED = `every request is refused until there is another key; ${HOW_WITHOUT}.`;

interface CreateOptions {
  agents?: string[];
  allAgents?: boolean;
  scopes: Scope[];
  createsAgents?: boolean;
}

/** Adds `keys create`, `keys list`, `keys revoke` and `keys off` to the program. */
export function addKeyCommands(program: Command): void {
  const keys = program
    .command("keys")
    .description(
      "manages API keys, which are in the data folder, or in the PostgreSQL database: after the first key every request needs one, even if the folder of the keys is lost; `keys off` ends that",
    );
  withOptions(
    keys
      .command("create")
      .description("creates a key and prints it to the standard output, this once")
      .option("--agents <NAME...>", "agents that the key opens")
      .option("--all-agents", "the key opens all agents, future ones included")
      .addOption(
        new Option("--scopes <SCOPE...>", "scopes of the key").choices(SCOPES).default(["memory"]),
      )
      .option("--creates-agents", "requests with the key may create agents"),
  ).action(async (options: CreateOptions, command: Command) => {
    const rights = rightsOf(options);
    const { key, id } = await withKeys(command, (store) => store.create(rights), true);
    console.error(`${id} is for ${inWords(rights)}. This is the only time that its key is shown:`);
    console.log(key);
  });
  withOptions(keys.command("list").description("lists keys by id, with their rights")).action(
    (_, command: Command) =>
      withKeys(command, async (store) => {
        const known = await store.read();
        for (const { id, created_at, ...rights } of known)
          console.log(`${id}\t${created_at}\t${inWords(rights)}`);
        if (known.length === 0 && (await store.areNeeded()))
          console.error(`There are no keys, and ${REFUSED}`);
      }),
  );
  withOptions(
    keys
      .command("revoke")
      .description(
        "revokes a key: running servers refuse it from now on, with PostgreSQL within a second",
      ),
  )
    .argument("<ID>")
    .action((id: string, _, command: Command) =>
      withKeys(command, async (store) => {
        await store.revoke(id);
        console.log(`${id} is revoked.`);
        if ((await store.read()).length > 0) return;
        console.log(`It was the last one: from now on ${REFUSED}`);
      }),
    );
  withOptions(
    keys
      .command("off")
      .description(
        "lets servers on loopback accept requests without a key from their next start on; only if there are no keys",
      ),
  ).action(async (_, command: Command) => {
    const wereNeeded = await withKeys(command, (store) => store.needNone());
    console.log(
      wereNeeded ? "A server that starts on loopback asks for no key." : "No keys were needed.",
    );
  });
}

/** Runs `work` with the keys of the place that the settings name. */
async function withKeys<T>(
  command: Command,
  work: (store: KeyStore) => Promise<T>,
  migrates = false,
): Promise<T> {
  const { settings } = await settingsOf(command);
  const store = await keysAt(placeOf(settings), { migrates });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function rightsOf({
  agents = [],
  allAgents = false,
  scopes,
  createsAgents = false,
}: CreateOptions): Rights {
  if (agents.length > 0 === allAgents)
    throw new KeyError("name the agents of the key: --agents NAME…, or --all-agents");
  const wrong = agents.find((name) => !isAgentName(name));
  if (wrong !== undefined)
    throw new KeyError(
      `${JSON.stringify(wrong)} is not a valid name of an agent: it ${AGENT_NAME}`,
    );
  const unique = <Value>(values: readonly Value[]) => [...new Set(values)];
  return {
    agents: allAgents ? "all" : unique(agents),
    scopes: unique(scopes),
    creates_agents: createsAgents,
  };
}

const inWords = ({ agents, scopes, creates_agents }: Rights): string =>
  [
    agents === "all" ? "all agents" : agents.map((name) => JSON.stringify(name)).join(" "),
    ...scopes,
    ...(creates_agents ? ["creates agents"] : []),
  ].join(", ");
