// Command-line options for the settings.

import { type Command, Help, Option } from "commander";
import { flagOf, OPTION_NAMES, OPTIONS, type OptionName, variableOf } from "./options.ts";
import { CONFIG_VARIABLE, type InForce, readSettings } from "./read.ts";

type Flags = Partial<Record<OptionName, string>> & { config?: string };

/** The heading of settings in the help, after the command's own options. */
const SETTINGS = "Settings of the server:";

/** Puts `--help` with the command's own options, before the settings, also if it is the only one. */
const OWN_OPTIONS_FIRST: Partial<Help> = {
  visibleOptions(command) {
    const all = new Help().visibleOptions(command);
    const isSetting = ({ helpGroupHeading }: Option) => helpGroupHeading === SETTINGS;
    return [...all.filter((one) => !isSetting(one)), ...all.filter(isSetting)];
  },
  // Groups stand in the order of the options that are shown.
  groupItems: (_, shown, groupOf) => new Help().groupItems(shown, shown, groupOf),
};

/** Adds all settings to a command. In its help, its own options come first. */
export function withOptions(command: Command): Command {
  for (const name of OPTION_NAMES) {
    const { about, value, default: byDefault } = OPTIONS[name];
    const described = `${about} (${variableOf(name)}; default ${byDefault()})`;
    command.addOption(new Option(`${flagOf(name)} <${value}>`, described).helpGroup(SETTINGS));
  }
  const described = `a YAML file with the same words as keys, and those of the engine (${CONFIG_VARIABLE})`;
  return command
    .addOption(new Option("--config <FILE>", described).helpGroup(SETTINGS))
    .configureHelp(OWN_OPTIONS_FIRST);
}

/** Returns the settings in force. An invalid setting ends the program with a sentence. */
export function settingsOf(command: Command): Promise<InForce> {
  const given = command.opts<Record<string, string>>();
  const flags = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  ) as Flags;
  return readSettings(flags, process.env);
}
