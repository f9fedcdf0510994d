// The commands `presets list`, `show` and `check`.

import type { Command } from "commander";
import { guessedType, type Preset } from "nous-memory";
import { settingsOf, withOptions } from "./flags.ts";
import { knownPreset, presetOfAll } from "./preset.ts";
import { readPreset } from "./preset-files.ts";

export function addPresetCommands(program: Command): void {
  const presets = program
    .command("presets")
    .description("lists, shows and checks presets: what an agent's memories are about");
  withOptions(
    presets.command("list").description("lists the presets that ship, and those of presets_dir"),
  ).action(async (_, command: Command) => {
    const { settings, engine, presets } = await settingsOf(command);
    const byDefault = presetOfAll(settings.preset, engine);
    for (const { name, description } of presets.values())
      console.log(`${name === byDefault ? "*" : " "} ${name}: ${description}`);
  });
  withOptions(
    presets
      .command("show")
      .description("prints a preset as YAML: write it to a file, and change it")
      .argument("<NAME>"),
  ).action(async (name: string, _, command: Command) => {
    const { stringify } = await import("./yaml.ts");
    const { presets } = await settingsOf(command);
    const { name: _name, ...preset } = knownPreset(presets, name);
    const { memoryGuidance } = await import("nous-wasm");
    const guidance = preset.guidance || memoryGuidance();
    process.stdout.write(stringify({ ...preset, guidance }, { lineWidth: 0 }));
  });
  withOptions(
    presets
      .command("check")
      .description("checks a file, and says what it makes of an example")
      .argument("<FILE>", "a file NAME.yaml")
      .option("--text <TEXT>", "a text whose type is guessed"),
  ).action(async (path: string, { text }: { text?: string }, command: Command) => {
    const { presets } = await settingsOf(command);
    const preset = await readPreset(path, presets);
    console.log(summaryOf(preset));
    if (text !== undefined) console.log(`“${text}” is of the type ${guessedType(preset, text)}.`);
  });
}

function summaryOf({ name, types, weights, usual_type }: Preset): string {
  const names = Object.keys(types);
  return (
    `The preset ${name} is sound. It has ${names.length} types: ${names.join(", ")}. ` +
    `A text without a type is a ${usual_type} unless a pattern matches. Its fitted weights are ` +
    `those of ${weights}.`
  );
}
