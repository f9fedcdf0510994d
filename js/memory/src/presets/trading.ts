// The preset of a trading agent. What it does not say is the engine's own: the engine's strings of
// intents, attribute words, symbols of coins and stakes are those of a trading agent.

import { GENERAL } from "./general.ts";
import type { Preset, PresetType } from "./preset.ts";

const TYPES = {
  "custom:trade_entry": {
    section: "EPISODIC",
    stability_days: 21,
    heading: "decisions",
    description: "A trade that was opened, and why.",
  },
  "custom:trade_close": {
    section: "EPISODIC",
    stability_days: 21,
    heading: "facts",
    description: "A trade that was closed, with its result.",
  },
  "custom:trade_modify": {
    section: "EPISODIC",
    stability_days: 14,
    heading: "decisions",
    description: "A change of an open trade.",
  },
  "custom:trade": {
    section: "EPISODIC",
    stability_days: 14,
    heading: "episodes",
    description: "A trade as a whole.",
  },
  "custom:turn_summary": {
    section: "EPISODIC",
    stability_days: 7,
    heading: "episodes",
    description: "What a turn of a conversation was about.",
  },
  "custom:session_summary": {
    section: "EPISODIC",
    stability_days: 14,
    heading: "episodes",
    description: "What a session was about.",
  },
  "custom:market_event": {
    section: "EPISODIC",
    stability_days: 10,
    heading: "episodes",
    description: "What happened on a market.",
  },
  "custom:signal": {
    section: "SIGNALS",
    stability_days: 2,
    heading: "signals",
    description: "A signal of a scanner.",
  },
  "custom:watchpoint": {
    section: "SIGNALS",
    stability_days: 5,
    heading: "signals",
    description: "A level or an event to watch for.",
  },
  "custom:lesson": {
    section: "KNOWLEDGE",
    stability_days: 90,
    heading: "facts",
    description: "What trades have taught.",
  },
  "custom:thesis": {
    section: "KNOWLEDGE",
    stability_days: 30,
    heading: "decisions",
    description: "An opinion about a market, and its reasons.",
  },
  "custom:curiosity": {
    section: "KNOWLEDGE",
    stability_days: 14,
    heading: "facts",
    description: "A question to look into.",
  },
  "custom:playbook": {
    section: "PROCEDURAL",
    stability_days: 180,
    heading: "procedures",
    description: "A setup with rules of entry and exit.",
  },
  "custom:missed_opportunity": {
    section: "PROCEDURAL",
    stability_days: 30,
    heading: "procedures",
    description: "A trade that was not taken and would have won.",
  },
  "custom:good_pass": {
    section: "PROCEDURAL",
    stability_days: 30,
    heading: "procedures",
    description: "A trade that was not taken and would have lost.",
  },
} satisfies Readonly<Record<string, PresetType>>;

/** The preset of a trading agent: trades, signals, theses, lessons and playbooks. */
export const TRADING: Preset = {
  name: "trading",
  description: "For a trading agent: trades, signals, theses, lessons and playbooks.",
  weights: "trading",
  consolidation: "trades",
  stemming: "english",
  usual_type: "fact",
  // A trading agent remembers people and decisions, too.
  types: { ...TYPES, ...GENERAL.types },
  guidance: "",
  engine: {},
};
