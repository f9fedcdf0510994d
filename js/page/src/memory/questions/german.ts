// Questions of a German statement. Nouns have capitals, and the verb stands second: the subject is what
// stands before it, in the form that a question needs, and the verb need not be known.

import { isCapital, type Rules, wordsIn, wordsOf } from "./sentence.ts";

export const GERMAN = wordsIn(
  "der die das den dem des ein eine einen einem einer und oder aber nicht kein keine " +
    "keinen ich wir mein meine meinen meinem meiner unser unsere unseren unserem ist sind " +
    "war hat haben wird im am vom zum zur beim mit nach von bei für auf über unter seit " +
    "jeden jede jedes bitte immer nie sich er sie es noch schon auch mag lieber liebsten " +
    "wohnt heißt liebt kommt geht gehen muss will kann arbeitet arbeite braucht brauche " +
    "trinkt trinke isst esse spielt spiele steht liegt hasst lernt lerne kauft lebt lebe " +
    "wurde werden gegen zwei drei raus uhr",
);
const DETERMINER = new RegExp(
  "^(?:der|die|das|den|dem|des|(?:m|d|s|k)?ein(?:e[nmrs]?)?|(?:unser|ihr|" +
    "euer)(?:e[nmrs]?)?|unsre[nmrs]?|diese[nmrs]?|jede[nmrs]?|alle[nr]?)$",
  "iu",
);
const SUBJECT_DETERMINER =
  /^(?:der|die|das|(?:m|d|s|k)?eine?|(?:unser|ihr|euer)e?|unsre|diese[rs]?)$/iu;
const PREPOSITION = wordsIn(
  "am im in an auf aus bei beim mit nach von vom zu zum zur für gegen ohne um unter über " +
    "vor hinter neben zwischen seit bis ab durch",
);
const FUNCTION = wordsIn(
  "ich wir er sie es ihr du mich mir uns ihn ihm man nicht nie nur noch schon auch immer " +
    "meist oft sehr so zu hier dort jetzt gerade bitte alle alles etwas nichts",
);
const ADVERB = new RegExp(
  "^(?:noch|schon|auch|immer|meist|meistens|oft|jetzt|gerade|nur|erst|bereits|derzeit|" +
    String.raw`zurzeit|normalerweise|sehr)\s+`,
  "u",
);
const DAY =
  "(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag\\S*|Mittwoch\\S*|Januar|Februar|März|April|" +
  "Mai|Juni|Juli|August|September|Oktober|November|Dezember|Weihnachten|Ostern|Frühling|" +
  "Frühjahr|Sommer|Herbst|Winter|Wochenende|Morgen|Vormittag|Mittag|Nachmittag|Abend|" +
  "Jahr\\S*|Monat\\S*|Woche|Quartal\\S*|Tag|Nacht|Stunde";
const TIME = new RegExp(
  "^(?:(?<since>seit|bis|ab) )?(?:(?:(?:am|im|in der|um|vor|nach|gegen|zu|jeden|jede|" +
    String.raw`jedes|nächste[nrs]?|letzte[nrs]?|kommende[nrs]?|(?:der|den)(?= \d)|diese[nrs]?|` +
    String.raw`Anfang|Mitte|Ende|ersten|zum) )*(?:(?:${DAY})\b|(?<=(?:seit|bis|ab|im Jahr) )(?:19|` +
    String.raw`20)\d\d\b|\d{1,2}\.(?: ?(?:${DAY}|\d{1,2}\.?(?:\d{4})?))?|` +
    String.raw`\d{1,2}(?::\d\d)?(?: Uhr))(?: (?:\d{4}\b|um \d{1,2}(?::\d\d)?(?: Uhr)?))?|(?:heute|` +
    "morgen|übermorgen|gestern|täglich|wöchentlich|monatlich|jährlich|montags|dienstags|" +
    String.raw`mittwochs|donnerstags|freitags|samstags|sonntags)\b)`,
  "u",
);
/** What counts, and is no subject: times, amounts. */
const MEASURE = new RegExp(
  `^(?:${DAY}|Uhr|Euro|Prozent|Stunden|Minuten|Tage|Wochen|Monate|Kilo|Liter|Meter|` +
    `\\p{L}+(?:tags|abends|morgens|mittags))$`,
  "iu",
);
/** Verbs after which a place is the place of something. */
const STANDS = new RegExp(
  "^(?:ist|sind|war|waren|wohn|leb|arbeit|lieg|steh|häng|park|sitz|befind|treff|" +
    "studier|schläf|schlaf|lager|spiel|übernacht|warte|find)",
  "u",
);
const PLACE = new RegExp(
  "^(?:in|im|bei|beim|am|an|auf|unter|hinter|neben|vor|über|zwischen) (?:(?:der|dem|" +
    "den|die|das|einer|einem|meine[mr]|" +
    String.raw`unsere[mr]) )?(?:\p{Ll}+e[nrms] )*\p{Lu}[\p{L}-]*(?: (?:von|des|` +
    String.raw`der) (?:\p{Lu}\S*))?(?: \p{Lu}[\p{L}-]*)*`,
  "u",
);
const KIN = new RegExp(
  "(?:mutter|vater|mama|papa|schwester|bruder|frau|mann|tochter|sohn|oma|opa|onkel|" +
    "tante|cousine?|neffe|nichte|freundin|freund|chefin|chef|kollegin|kollege|nachbarin|" +
    "nachbar|vermieterin|vermieter|ärztin|arzt|lehrerin|lehrer|kundin|kunde|partnerin|" +
    String.raw`partner|anwalt|anwältin)(?: \p{Lu}\S*)?$`,
  "iu",
);
/** Verbs of a state of things, before which "who" would ask for no person. */
const OF_THINGS = new RegExp(
  "^(?:ist|sind|war|waren|wird|werden|liegt|steht|kostet|enthält|läuft|braucht|muss|" +
    "gilt|heißt|lautet|dauert|beginnt|endet|gibt)$",
  "u",
);
const CLAUSE = /[,;(]|: | [–—-] | (?:weil|aber|und|oder|sondern|denn|da|dass|wenn|obwohl) /u;

export const german: Rules = {
  asks: asksOf,
  topics: topicsOf,
  about: (topic) => `Was weiß ich über ${topic}?`,
};

function* asksOf(whole: string): Generator<string> {
  const words = whole.split(/\s+/);
  const end = endOfSubject(words);
  if (end !== undefined && words.length > end + 1) yield* askedOf(words, end);
  else yield* askedOfFronted(words);
}

const PRONOUN = /^(?:ich|wir|er|sie|es|man)$/;

const clauseOf = (words: readonly string[]): string => words.join(" ").split(CLAUSE, 1)[0]!.trim();

/** Returns the place of the verb of a sentence that begins with its subject. */
function endOfSubject(words: readonly string[]): number | undefined {
  if (/^(?:ich|wir|er|sie|es)$/i.test(words[0]!)) return 1;
  let at = 0;
  /** Goes over "das alte Klavier", "Tante Inge". */
  const phrase = () => {
    if (DETERMINER.test(words[at] ?? "")) at += 1;
    while (/^\p{Ll}+(?:e|e[nrsm])$/u.test(words[at] ?? "") && isCapital(words[at + 1] ?? ""))
      at += 1;
    const from = at;
    while (isCapital(words[at] ?? "") || /^\d/.test(words[at] ?? "")) at += 1;
    return at > from;
  };
  if (!SUBJECT_DETERMINER.test(words[0]!) && !isCapital(words[0]!)) return undefined;
  if (PREPOSITION.has(words[0]!.toLowerCase()) || FUNCTION.has(words[0]!.toLowerCase()))
    return undefined;
  if (!phrase()) return undefined;
  while (PREPOSITION.has(words[at] ?? "") || /^(?:der|des|und)$/.test(words[at] ?? "")) {
    if (!DETERMINER.test(words[at]!)) at += 1;
    if (!phrase()) return undefined;
  }
  const verb = words[at] ?? "";
  if (DETERMINER.test(verb) || /[,;:.]$/.test(words[at - 1]!)) return undefined;
  return /^\p{Ll}+(?:t|en|n|e|r|ss|ß|ag|ill|am|ieb|ing|og|and|at|ist|uf|ar|ab)$/u.test(verb) &&
    !FUNCTION.has(verb) &&
    !PRONOUN.test(words[at + 1] ?? "")
    ? at
    : undefined;
}

const lowered = (words: readonly string[]): string =>
  words
    .map((word, at) =>
      at === 0 &&
      (DETERMINER.test(word) ||
        FUNCTION.has(word.toLowerCase()) ||
        PREPOSITION.has(word.toLowerCase()))
        ? word.toLowerCase()
        : word,
    )
    .join(" ");

/** Returns a question of parts, without those that are empty. */
const joined = (...parts: string[]): string => `${parts.filter((part) => part !== "").join(" ")}?`;

/** Returns the word that asks for a time: "Seit wann" for "seit 2015". */
const whenOf = ({ groups }: RegExpExecArray): string => {
  const { since } = groups!;
  return since === undefined ? "Wann" : `${since[0]!.toUpperCase()}${since.slice(1)} wann`;
};

function* askedOf(words: readonly string[], end: number): Generator<string> {
  const subject = lowered(words.slice(0, end));
  const verb = words[end]!;
  const [itself = ""] = /^(?:uns|mich|sich)$/.exec(words[end + 1] ?? "") ?? [];
  const rest = clauseOf(words.slice(end + 1 + Number(itself !== ""))).replace(ADVERB, "");
  const isAllergic = /^(?:gegen .+ allergisch|allergisch gegen .+)$/.test(rest);
  const asked = (what: string, tail = "") =>
    PRONOUN.test(subject)
      ? joined(what, verb, subject, itself, tail)
      : joined(what, verb, itself, subject, tail);
  if (isAllergic) yield asked("Wogegen", "allergisch");
  else if (/^(?:heiß|laute|nennt)/.test(verb) && rest !== "") yield asked("Wie");
  else if (/^kostet|^kosten/.test(verb)) yield asked("Wie viel");
  else {
    const time = TIME.exec(rest);
    const place = PLACE.exec(rest);
    const isPerson = KIN.test(subject) || (isCapital(subject) && !/\s/.test(subject));
    if (time !== null) {
      yield asked(whenOf(time), tailOf(rest, time[0]));
    } else if (place !== null && STANDS.test(verb)) yield asked("Wo", tailOf(rest, place[0]));
    else if (
      /^(?:ist|lautet)$/.test(verb) &&
      (/^\S*\d\S*$/.test(rest) || /(?:wort|code|nummer|adresse|pin)$/i.test(subject))
    )
      yield asked("Wie").replace(/^Wie ist/u, "Wie lautet");
    else {
      const object = objectOf(rest);
      const isOf =
        object !== null &&
        !KIN.test(object[0]) &&
        !/^(?:ist|sind|war|waren|wird|trifft|kennt|liebt|besucht|heiratet)/.test(verb);
      if (isOf) {
        const tail = tailOf(rest, object[0]);
        yield asked("Was", /^keine?n?\b/.test(rest) ? `nicht ${tail}`.trim() : tail);
      }
    }
    const isThird = !/^(?:ich|wir|es|er|sie)$/.test(subject);
    if (
      isThird &&
      isPerson &&
      (KIN.test(subject) ? !/\d/.test(rest) : !OF_THINGS.test(verb)) &&
      rest !== "" &&
      !/en$/.test(verb)
    )
      yield joined("Wer", verb, itself, rest);
  }
}

/** An object: "einen Hund", "Medizin". */
const OBJECT = new RegExp(
  "^(?:(?:den|die|das|einen|eine|ein|keinen|keine|kein|meinen|meine|mein|unseren|" +
    "unsere|unser|ihren|ihre|ihr|seinen|seine|sein|viel|gerne?|nur|" +
    String.raw`\d+) )*(?:\p{Ll}+e[nrs]? )*\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*(?: \d+)?`,
  "u",
);

const objectOf = (rest: string): RegExpExecArray | null =>
  PREPOSITION.has(rest.split(" ", 1)[0]!) ? null : OBJECT.exec(rest);

/** Returns what stands behind a phrase. A further time or place stays. */
const tailOf = (rest: string, phrase: string): string => rest.slice(phrase.length).trim();

/** Returns questions of a sentence that begins with another part than its subject. */
function* askedOfFronted(words: readonly string[]): Generator<string> {
  const second = words.findIndex((word, at) => at > 1 && /^(?:ich|wir)$/.test(word));
  if (second > 1 && second < 7) {
    const verb = `${words[second - 1]} ${words[second]}`;
    const front = lowered(words.slice(0, second - 1));
    const rest = clauseOf(words.slice(second + 1));
    const object = objectOf(rest);
    const time = TIME.exec(front);
    if (time?.[0] === front && rest !== "") yield joined(whenOf(time), verb, rest);
    else if (object !== null && !KIN.test(object[0]))
      yield joined("Was", verb, front, tailOf(rest, object[0]));
    return;
  }
  if (!PREPOSITION.has((words[0] ?? "").toLowerCase())) return;
  const at = words.findIndex((word) => /^(?:steht|liegt|hängt|ist|parkt|lagert)$/.test(word));
  const thing = words
    .slice(at + 1)
    .join(" ")
    .replace(ADVERB, "");
  if (at > 1 && DETERMINER.test(wordsOf(thing)[0] ?? "") && !KIN.test(thing))
    yield `Was ${words[at]} ${lowered(words.slice(0, at))}?`;
}

/** Returns what a sentence is about. A noun with an article would need another case: it is quoted. */
function* topicsOf(sentence: string): Generator<string> {
  const words = sentence.split(/\s+/);
  const bare = words.map((word) => wordsOf(word)[0]?.replace(/[.]$/, "") ?? "");
  const isTime = (word: string) => MEASURE.test(word);
  const isNounAt = (at: number) =>
    /^\p{Lu}[\p{L}-]{2,}/u.test(bare[at] ?? "") && !isTime(bare[at]!);
  const nouns = bare.flatMap((one, at) => {
    let end = at + 1;
    while (isNounAt(end) && !/[,.;:]$/.test(words[end - 1]!)) end += 1;
    const word = bare.slice(at, end).join(" ");
    const isWord = [
      DETERMINER.test(one),
      PREPOSITION.has(one.toLowerCase()),
      GERMAN.has(one.toLowerCase()),
    ];
    if (!isNounAt(at) || isWord.includes(true) || (at > 1 && isNounAt(at - 1))) return [];
    const before = bare[at - 1] ?? "";
    const isAlone =
      at > 0 &&
      !DETERMINER.test(before) &&
      !/^\p{Ll}+e[nrsm]?$/u.test(before) &&
      !/^(?:am|im|vom|zum|zur|beim)$/i.test(before);
    return [
      { word, isName: isAlone || (at === 0 && endOfSubject(words) === 1), length: word.length },
    ];
  });
  const named = nouns.toSorted(
    (one, other) => Number(other.isName) - Number(one.isName) || other.length - one.length,
  );
  for (const { word, isName } of named) yield isName ? word : `„${word}“`;
  const [longest] = bare
    .filter((word) => word.length > 3 && !GERMAN.has(word.toLowerCase()) && !FUNCTION.has(word))
    .toSorted((one, other) => other.length - one.length);
  if (longest !== undefined && named.length === 0) yield `„${longest}“`;
}
