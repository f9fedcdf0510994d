// Statements of one person's memory: pairs of which the newer replaces the older, pairs that both stand, and
// others. Written for the reading of guesses; the rule that makes guesses was not fitted with them.

/** A pair, the question for what it tells, and what the answer must hold. */
export interface HoldingPair {
  older: string;
  newer: string;
  question: string;
}

export const REPLACED: readonly HoldingPair[] = [
  {
    older: "Our office is on the third floor of the Harlow building.",
    newer: "We moved the office to Quay Street 12.",
    question: "Where is our office?",
  },
  {
    older: "Priya leads the billing team.",
    newer: "Since Monday Jonas runs billing.",
    question: "Who leads the billing team?",
  },
  {
    older: "The gym membership costs 39 euros a month.",
    newer: "The gym raised its price to 45 euros.",
    question: "How much is the gym membership?",
  },
  {
    older: "Standup is at 9:30 every morning.",
    newer: "Standup starts at 10 from now on.",
    question: "When is standup?",
  },
  {
    older: "I drive a red Skoda Fabia.",
    newer: "I sold the Skoda and bought a Kia Niro.",
    question: "What car do I drive?",
  },
  {
    older: "The API runs on Node 18.",
    newer: "The API is on Node 22 these days.",
    question: "Which Node version does the API run on?",
  },
  {
    older: "My dentist is Dr. Albers.",
    newer: "Dr. Albers retired; Dr. Yilmaz is my dentist now.",
    question: "Who is my dentist?",
  },
  {
    older: "Mateo is allergic to peanuts.",
    newer: "Mateo's peanut allergy is gone, the doctor says.",
    question: "Is Mateo allergic to peanuts?",
  },
  {
    older: "The wifi password is harbor-42.",
    newer: "New wifi password: lantern-77.",
    question: "What is the wifi password?",
  },
  {
    older: "Backups run every night at 2 am.",
    newer: "Backups were moved to 4 am.",
    question: "When do backups run?",
  },
  {
    older: "I take oat milk in my coffee.",
    newer: "I no longer take any milk in my coffee.",
    question: "What milk do I take in my coffee?",
  },
  {
    older: "Selma goes to the Waldorf school.",
    newer: "Selma changed to the Lessing school.",
    question: "Which school does Selma go to?",
  },
  {
    older: "The upload limit is 20 MB per file.",
    newer: "Files may now have up to 50 MB.",
    question: "What is the upload limit per file?",
  },
  {
    older: "Our bank is Nordbank.",
    newer: "We switched our account to Vela.",
    question: "Which bank do we use?",
  },
  {
    older: "The cleaner comes on Tuesdays.",
    newer: "The cleaner comes on Thursdays.",
    question: "On which day does the cleaner come?",
  },
  {
    older: "Ines works as a nurse in Ghent.",
    newer: "Ines is a midwife now.",
    question: "What does Ines work as?",
  },
  {
    older: "Deploys need two approvals.",
    newer: "One approval is enough for a deploy.",
    question: "How many approvals does a deploy need?",
  },
  {
    older: "Our plumber is Herr Vogt.",
    newer: "Vogt closed his shop, Frau Brandt does our plumbing.",
    question: "Who is our plumber?",
  },
  {
    older: "I run on Wednesday evenings.",
    newer: "I run on Saturday mornings instead of Wednesdays.",
    question: "When do I run?",
  },
  {
    older: "The support address is help@fjord.example.",
    newer: "Support is reached at care@fjord.example.",
    question: "What is the support address?",
  },
  {
    older: "Die Miete beträgt 820 Euro.",
    newer: "Die Miete wurde auf 870 Euro erhöht.",
    question: "Wie hoch ist die Miete?",
  },
  {
    older: "Mein Arbeitsweg ist mit dem Bus 25 Minuten.",
    newer: "Ich fahre jetzt mit dem Rad zur Arbeit, 18 Minuten.",
    question: "Wie komme ich zur Arbeit?",
  },
  {
    older: "Mi clase de piano es los lunes.",
    newer: "La clase de piano pasa a los viernes.",
    question: "¿Cuándo es mi clase de piano?",
  },
  {
    older: "The staging database is on host orca.",
    newer: "Staging's database was moved to host beluga.",
    question: "On which host is the staging database?",
  },
];

export const STANDING: readonly HoldingPair[] = [
  {
    older: "Tara likes hiking.",
    newer: "Tara likes board games, too.",
    question: "Does Tara like hiking?",
  },
  {
    older: "Server elk has 64 GB of memory.",
    newer: "Server moose has 32 GB of memory.",
    question: "How much memory does server elk have?",
  },
  {
    older: "Leo's birthday is on 4 June.",
    newer: "Ana's birthday is on 9 June.",
    question: "When is Leo's birthday?",
  },
  {
    older: "We buy bread at Moller's.",
    newer: "We buy cheese at the market.",
    question: "Where do we buy bread?",
  },
  {
    older: "The invoice tool is written in Go.",
    newer: "The report tool is written in Python.",
    question: "What is the invoice tool written in?",
  },
  {
    older: "Yoga is on Monday.",
    newer: "Choir is on Monday as well.",
    question: "When is yoga?",
  },
  {
    older: "Der Keller hat die Nummer 12.",
    newer: "Der Stellplatz hat die Nummer 31.",
    question: "Welche Nummer hat der Keller?",
  },
  {
    older: "My brother Timo lives in Bern.",
    newer: "My sister Greta lives in Basel.",
    question: "Where does my brother Timo live?",
  },
];

export const OTHERS: readonly string[] = [
  "The boiler was serviced in spring.",
  "Mira's favourite flower is the peony.",
  "Our train pass is valid in zones 1 to 3.",
  "The bike lock key hangs beside the door.",
  "Kofi plays the cello in an amateur orchestra.",
  "The printer takes toner of the type TN-245.",
  "We water the ficus once a week.",
  "The insurance number begins with 7741.",
  "Hanna recommended the book about glaciers.",
  "Our tent sleeps four people.",
  "The recipe for the lentil soup needs cumin.",
  "The vet's practice is closed on Fridays.",
  "Release notes are written in the present tense.",
  "The meeting room Lynx has no projector.",
  "Grandpa was a watchmaker.",
  "The neighbours' dog is called Biscuit.",
  "Log levels are set by an environment variable.",
  "The guitar needs new strings.",
  "Passports are in the blue folder.",
  "The roof was insulated two years ago.",
];
