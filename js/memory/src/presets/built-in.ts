// The presets that ship.

import { GENERAL } from "./general.ts";
import type { Presets } from "./preset.ts";
import { TRADING } from "./trading.ts";

/** The presets that ship, by name. */
export const BUILT_IN_PRESETS: Presets = new Map(
  [GENERAL, TRADING].map((preset) => [preset.name, preset]),
);
