// The default preset.

import type { Preset, PresetType } from "./preset.ts";

/**
 * A text without a type gets the first type of which a pattern matches, so that the order is that of
 * certainty: "I prefer" is a preference, whatever else the sentence says. The patterns know English
 * and German.
 */
const TYPES = {
  preference: {
    section: "KNOWLEDGE",
    stability_days: 180,
    heading: "user_profile",
    description: "What somebody likes, avoids or wants: `Mira eats no dairy`.",
    guess: [
      String.raw`\b(prefers?|likes?|loves?|enjoys?|hates?|dislikes?|can'?t stand|favou?rite|would rather)\b`,
      String.raw`\b(allergic|vegetarian|vegan|intolerant|eats no|drinks no|doesn'?t (eat|drink|want|like))\b`,
      String.raw`\b(mag|mögen|bevorzugt?|liebt|liebe|hasst|hasse|lieblings\w*|lieber|allergisch|vegetarisch|vegan|(isst|trinkt|will|möchte) kein\w*)\b`,
    ],
  },
  decision: {
    section: "KNOWLEDGE",
    stability_days: 120,
    heading: "decisions",
    description: "What was decided, and why: `We chose PostgreSQL because of row-level security`.",
    guess: [
      String.raw`\b(decided|decision|agreed (to|on|that)|settled on|chose|we('ll| will) (go with|use|switch)|opted|picked)\b`,
      String.raw`\b(entschieden|entscheidung|beschlossen|geeinigt|wir (nehmen|verwenden|wechseln))\b`,
    ],
  },
  procedure: {
    section: "PROCEDURAL",
    stability_days: 365,
    heading: "procedures",
    description: "How to do something: `To deploy, run make release, then tag the commit`.",
    guess: [
      String.raw`\b(how to|steps? (to|for|:)|step \d|first\b.+\bthen|always .+ before|never .+ (before|without)|in order to|whenever)\b`,
      String.raw`^to \w+.*[,:] ?(run|use|open|press|call|click|set|first|go)\b`,
      String.raw`\b(um .+ zu \w+[,:]|zuerst\b.+\bdann|schritt \d|schritte|immer erst|niemals .+ ohne|so geht)\b`,
    ],
  },
  task: {
    section: "SIGNALS",
    stability_days: 21,
    heading: "signals",
    description: "What is to be done: `Send the invoice by Friday`.",
    guess: [
      String.raw`\b(to-?do|need(s|ed)? to|has to|have to|must|remind|don'?t forget|due (on|by|date|in)|deadline|by (mon|tues|wednes|thurs|fri|satur|sun)day|by (tomorrow|next|the end))\b`,
      String.raw`\b(muss|müssen|erinner\w*|nicht vergessen|fällig|frist|bis (montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|nächste\w*))\b`,
    ],
  },
  signal: {
    section: "SIGNALS",
    stability_days: 3,
    heading: "signals",
    description: "What holds just now: `The staging server is down`.",
    guess: [
      String.raw`\b(right now|at the moment|currently|is down|is failing|is offline|is out of (stock|office)|alert)\b`,
      String.raw`\b(gerade|im moment|derzeit|momentan|ist ausgefallen|ist offline)\b`,
    ],
  },
  event: {
    section: "EPISODIC",
    stability_days: 60,
    heading: "episodes",
    description: "What happened: `Omar moved to Bergen in May`.",
    guess: [
      String.raw`\b(yesterday|last (night|week|month|year|summer|winter|spring|autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(days?|weeks?|months?|years?) ago)\b`,
      String.raw`\b(met|visited|attended|moved to|went to|flew to|bought|sold|broke|crashed|launched|released|married|died|graduated|was born|took place|happened)\b`,
      String.raw`\b(gestern|vorgestern|letzte[nrs]? \w+|vor \w+ (tagen|wochen|monaten|jahren)|traf|besuchte|zog nach|kaufte|verkaufte|heiratete|starb|fand statt|fuhr|flog|ging kaputt|ist passiert)\b`,
    ],
  },
  person: {
    section: "KNOWLEDGE",
    stability_days: 365,
    heading: "user_profile",
    description: "Who somebody is: `Omar is Mira's brother and works in Bergen`.",
    guess: [
      String.raw`\b(wife|husband|partner|mother|father|mom|mum|dad|sister|brother|son|daughter|girlfriend|boyfriend|colleague|boss|manager|friend|neighbou?r|doctor|dentist|dog|cat|birthday|lives in|works (at|for|as|in)|is a [a-z]+er\b|years old|name is|named|called)\b`,
      String.raw`\b(frau|mann|partnerin|mutter|vater|schwester|bruder|sohn|tochter|freundin|kolleg(e|in)|chef(in)?|nachbar(in)?|ärzt(in)?|arzt|hund|katze|geburtstag|wohnt|arbeitet|jahre alt|heißt)\b`,
    ],
  },
  project: {
    section: "KNOWLEDGE",
    stability_days: 120,
    heading: "facts",
    description: "What a project is and where it stands: `Skerry is a ferry timetable in Rust`.",
    guess: [
      String.raw`\b(project|repo(sitory)?|codebase|milestone|roadmap|sprint|branch|pull request|release \d)\b`,
      String.raw`\b(projekt|meilenstein|codebasis|fahrplan)\b`,
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
} satisfies Readonly<Record<string, PresetType>>;

const GUIDANCE = `## Your memory

Your memories live in one store with four sections. Every memory can come up for every question; its section only decides how it ranks and how fast it fades.

- **Episodic** holds what happened: events, parts of conversations, summaries. It fades in weeks.
- **Signals** holds what matters just now: open tasks, and states such as an outage. It fades in days.
- **Knowledge** holds what is true: facts, preferences, people, projects, decisions. It fades in months.
- **Procedural** holds how to do something: steps, rules of work. It is nearly permanent.

A line of memory ends with the day of the event ("on 3 Oct 2026, 7 weeks ago"), or with the day on which it was noted. Trust a newer line over an older one. If no line answers the question, say that you do not know.
Recalling a memory keeps it alive; what is never recalled fades, and is still found.
`;

/** The preset of a person's assistant, a coding agent or a support bot. It is the default. */
export const GENERAL: Preset = {
  name: "general",
  description: "For people, projects and documents: an assistant, a coding agent or a support bot.",
  weights: "general",
  consolidation: "summaries",
  stemming: "english",
  usual_type: "fact",
  types: TYPES,
  guidance: GUIDANCE,
  engine: {
    // No symbols of coins: "link" and "op" are words.
    known_symbols: [],
    query: {
      attribute_words: [
        ...["phone", "email", "e-mail", "address", "birthday", "number", "date", "name", "title"],
        ...["location", "id", "link", "url", "contact", "age", "status", "role", "position"],
        ...["company", "team", "project", "size", "version", "password", "port", "colour", "color"],
        ...["telefonnummer", "adresse", "geburtstag", "nummer", "größe", "farbe"],
      ],
    },
    intent: {
      matcher: "words",
      strings: {
        SIGNALS: [
          ...["right now", "at the moment", "currently", "today", "to do", "todo", "open tasks"],
          ...["due", "deadline", "remind", "outage", "down", "offline", "gerade", "heute"],
          ...["fällig", "frist", "signal", "signals", "firing", "alert", "alerts", "anomaly"],
          ...["anomalies", "watching", "what's happening"],
        ],
        EPISODIC: [
          ...["what happened", "when did", "last time", "last week", "last month", "yesterday"],
          ...[
            "conversation",
            "meeting",
            "session",
            "talked",
            "said",
            "visited",
            "was ist passiert",
          ],
          ...["letztes mal", "gestern", "wann"],
        ],
        KNOWLEDGE: [
          ...["what is", "who is", "prefer", "prefers", "favourite", "favorite", "like", "likes"],
          ...["decided", "decision", "why did we", "birthday", "allergic", "wer ist", "was ist"],
          ...["mag", "entschieden"],
        ],
        PROCEDURAL: [
          ...["how do i", "how do we", "how to", "steps", "procedure", "instructions", "rule"],
          ...["rules", "checklist", "recipe", "wie mache ich", "anleitung", "schritte"],
        ],
      },
    },
  },
};
