// The types of memories of a general agent: a person's assistant, a coding agent, a support bot. A
// memory of such a type has it as `type` and as `subtype`. Subtypes of a trading agent (`custom:…`)
// stay known beside them.

import type { MemorySection } from "nous-wasm";

/** Where memories of a type stand in a prompt. */
export type Heading =
  | "user_profile"
  | "decisions"
  | "facts"
  | "procedures"
  | "episodes"
  | "signals";

/** A type of memories. */
export interface GeneralType {
  /** Decides how memories of the type rank and fade. */
  section: MemorySection;
  /** The time constant of decay of a new memory, in days. */
  stability_days: number;
  heading: Heading;
  description: string;
  /** A text of this type matches one of these patterns, in English or German. */
  guess?: readonly RegExp[];
}

/** Where a text without a type belongs if no pattern matches. */
export const USUAL_TYPE = "fact";

/**
 * The types. A text without a type gets the first one of which a pattern matches, so that the order
 * is that of certainty: "I prefer" is a preference, whatever else the sentence says.
 */
export const GENERAL_TYPES = {
  preference: {
    section: "KNOWLEDGE",
    stability_days: 180,
    heading: "user_profile",
    description: "What somebody likes, avoids or wants: `Mira eats no dairy`.",
    guess: [
      /\b(prefers?|likes?|loves?|enjoys?|hates?|dislikes?|can'?t stand|favou?rite|would rather)\b/i,
      /\b(allergic|vegetarian|vegan|intolerant|eats no|drinks no|doesn'?t (eat|drink|want|like))\b/i,
      /\b(mag|mögen|bevorzugt?|liebt|liebe|hasst|hasse|lieblings\w*|lieber|allergisch|vegetarisch|vegan|(isst|trinkt|will|möchte) kein\w*)\b/i,
    ],
  },
  decision: {
    section: "KNOWLEDGE",
    stability_days: 120,
    heading: "decisions",
    description: "What was decided, and why: `We chose PostgreSQL because of row-level security`.",
    guess: [
      /\b(decided|decision|agreed (to|on|that)|settled on|chose|we('ll| will) (go with|use|switch)|opted|picked)\b/i,
      /\b(entschieden|entscheidung|beschlossen|geeinigt|wir (nehmen|verwenden|wechseln))\b/i,
    ],
  },
  procedure: {
    section: "PROCEDURAL",
    stability_days: 365,
    heading: "procedures",
    description: "How to do something: `To deploy, run make release, then tag the commit`.",
    guess: [
      /\b(how to|steps? (to|for|:)|step \d|first\b.+\bthen|always .+ before|never .+ (before|without)|in order to|whenever)\b/i,
      /^to \w+.*[,:] ?(run|use|open|press|call|click|set|first|go)\b/i,
      /\b(um .+ zu \w+[,:]|zuerst\b.+\bdann|schritt \d|schritte|immer erst|niemals .+ ohne|so geht)\b/i,
    ],
  },
  task: {
    section: "SIGNALS",
    stability_days: 21,
    heading: "signals",
    description: "What is to be done: `Send the invoice by Friday`.",
    guess: [
      /\b(to-?do|need(s|ed)? to|has to|have to|must|remind|don'?t forget|due (on|by|date|in)|deadline|by (mon|tues|wednes|thurs|fri|satur|sun)day|by (tomorrow|next|the end))\b/i,
      /\b(muss|müssen|erinner\w*|nicht vergessen|fällig|frist|bis (montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|nächste\w*))\b/i,
    ],
  },
  signal: {
    section: "SIGNALS",
    stability_days: 3,
    heading: "signals",
    description: "What holds just now: `The staging server is down`.",
    guess: [
      /\b(right now|at the moment|currently|is down|is failing|is offline|is out of (stock|office)|alert)\b/i,
      /\b(gerade|im moment|derzeit|momentan|ist ausgefallen|ist offline)\b/i,
    ],
  },
  event: {
    section: "EPISODIC",
    stability_days: 60,
    heading: "episodes",
    description: "What happened: `Omar moved to Bergen in May`.",
    guess: [
      /\b(yesterday|last (night|week|month|year|summer|winter|spring|autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(days?|weeks?|months?|years?) ago)\b/i,
      /\b(met|visited|attended|moved to|went to|flew to|bought|sold|broke|crashed|launched|released|married|died|graduated|was born|took place|happened)\b/i,
      /\b(gestern|vorgestern|letzte[nrs]? \w+|vor \w+ (tagen|wochen|monaten|jahren)|traf|besuchte|zog nach|kaufte|verkaufte|heiratete|starb|fand statt|fuhr|flog|ging kaputt|ist passiert)\b/i,
    ],
  },
  person: {
    section: "KNOWLEDGE",
    stability_days: 365,
    heading: "user_profile",
    description: "Who somebody is: `Omar is Mira's brother and works in Bergen`.",
    guess: [
      /\b(wife|husband|partner|mother|father|mom|mum|dad|sister|brother|son|daughter|girlfriend|boyfriend|colleague|boss|manager|friend|neighbou?r|doctor|dentist|dog|cat|birthday|lives in|works (at|for|as|in)|is a [a-z]+er\b|years old|name is|named|called)\b/i,
      /\b(frau|mann|partnerin|mutter|vater|schwester|bruder|sohn|tochter|freundin|kolleg(e|in)|chef(in)?|nachbar(in)?|ärzt(in)?|arzt|hund|katze|geburtstag|wohnt|arbeitet|jahre alt|heißt)\b/i,
    ],
  },
  project: {
    section: "KNOWLEDGE",
    stability_days: 120,
    heading: "facts",
    description: "What a project is and where it stands: `Skerry is a ferry timetable in Rust`.",
    guess: [
      /\b(project|repo(sitory)?|codebase|milestone|roadmap|sprint|branch|pull request|release \d)\b/i,
      /\b(projekt|meilenstein|codebasis|fahrplan)\b/i,
    ],
  },
  fact: {
    section: "KNOWLEDGE",
    stability_days: 90,
    heading: "facts",
    description: "Anything else that is true: `The API allows 300 requests a minute`.",
  },
  episode: {
    section: "EPISODIC",
    stability_days: 30,
    heading: "episodes",
    description: "A part of a conversation, as it was said.",
  },
  summary: {
    section: "EPISODIC",
    stability_days: 60,
    heading: "episodes",
    description: "What several memories say together.",
  },
} as const satisfies Readonly<Record<string, GeneralType>>;

export type GeneralTypeName = keyof typeof GENERAL_TYPES;
const TYPES: Readonly<Record<string, GeneralType>> = GENERAL_TYPES;

/** Returns the type of this name; undefined if there is none. */
export const generalType = (name: string | null | undefined): GeneralType | undefined =>
  name != null && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;

/** Returns the type that a text most likely has. */
export function guessedType(text: string): GeneralTypeName {
  for (const [name, { guess = [] }] of Object.entries(TYPES))
    if (guess.some((pattern) => pattern.test(text))) return name as GeneralTypeName;
  return USUAL_TYPE;
}

/** Returns a configuration of the engine that knows the types. What it says itself wins. */
export function withGeneralTypes<Config extends object>(config: Config): Config {
  const { sections = {} } = config as { sections?: { subtypes?: object } };
  const own = Object.entries(TYPES).map(([name, { section, stability_days: stability }]) => [
    name,
    { section, stability },
  ]);
  const subtypes = { ...Object.fromEntries(own), ...sections.subtypes };
  return { ...config, sections: { ...sections, subtypes } };
}
