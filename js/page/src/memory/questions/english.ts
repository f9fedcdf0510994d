// Questions of an English statement. A question turns the subject and the verb around, so both must be
// known: the verb is a form of `be`, an auxiliary, or one of the verbs below, and the subject is all that
// stands before it, which must begin as a subject does.

import { isCapital, type Rules, wordsIn, wordsOf } from "./sentence.ts";

const VERBS = wordsIn(
  "prefer like love hate eat drink drive use own play study speak need want collect " +
    "avoid read write take run teach build plan live work meet deploy pay cost have start " +
    "begin end open close leave arrive depart expire happen ship stay keep sell buy sleep " +
    "learn cook train visit call know support store contain include require handle move " +
    "travel manage lead belong cover hold serve sit stand hang park grow wear send bring " +
    "make get go come do say see think weigh last recommend trust enjoy dislike fear host " +
    "release return renew rent share turn watch",
);
/** Past forms that tell what a person did, with the plain form of the verb. */
const PASTS = new Map(
  (
    "bought:buy sold:sell met:meet made:make took:take gave:give saw:see found:find " +
    "lost:lose broke:break wrote:write chose:choose built:build ate:eat read:read " +
    "left:leave won:win sent:send brought:bring paid:pay taught:teach got:get went:go " +
    "became:become began:begin grew:grow had:have said:say told:tell fell:fall flew:fly " +
    "drove:drive quit:quit fought:fight spent:spend kept:keep held:hold led:lead ran:run " +
    "wore:wear caught:catch forgot:forget slept:sleep" +
    ":"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
const BE = wordsIn("is are was were am");
const AUXILIARIES = wordsIn(
  "have has had can can't cannot could will won't would should must may might do does " +
    "did don't doesn't didn't isn't aren't wasn't weren't 's 'll",
);
const FREQUENCY = wordsIn("also now always usually often still sometimes only really currently");
const DETERMINERS = wordsIn("my our the his her their this that these those its");
const FUNCTION = wordsIn(
  "a an and or but so because while when where who what which that this these those if " +
    "then than as at by for from in into of off on onto out over to under until up with " +
    "without about after again before behind between near next through across along among " +
    "none else is are was were am be been being i i'm i've i'd we we're we've you he she " +
    "it it's they them me us him his her hers its my our your their the not no never " +
    "always also now do does did don't doesn't can can't cannot could will won't would " +
    "should must may might have has had there there's here please just only very too all " +
    "any each every some more most many much let's let ever yet still both either neither " +
    "both since per via",
);
const DAYS =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|" +
  "july|august|september|october|november|december|christmas|easter";
const HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight";
const TIME = new RegExp(
  String.raw`^(?:(?:today|tomorrow|tonight|yesterday|daily|weekly|monthly|yearly)\b|(?:on|in|by|` +
    "from|until|till|since|before|after|around|every|each|next|last|this|late|early|the|" +
    `of)(?: (?:the|early|late|next|last|this|every|other|second|first))* (?:${DAYS}|` +
    String.raw`\d{1,2}(?:st|nd|rd|th)?|(?:19|20)\d\d|(?:third|fifth|second|first|tenth|end|middle)|` +
    "mornings?|afternoons?|evenings?|nights?|weekends?|weeks?|months?|years?|quarters?|" +
    String.raw`spring|summer|autumn|fall|winter|hours?|minutes?|days?)\b(?! (?:requests|users|` +
    String.raw`people|euros|percent|items|meters|metres|kilos))|within \d+ (?:days?|weeks?|hours?|` +
    String.raw`minutes?|months?)|at (?:\d|${HOURS})|(?:around|by|before|after|until|` +
    String.raw`from) (?:${HOURS})\b|\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:${DAYS})\b|(?:${DAYS}) \d|` +
    String.raw`\d{1,2}:\d\d|\d{1,2} ?(?:am|pm)\b)`,
  "i",
);
/** What counts, and is no subject: times, amounts. */
const MEASURE = new RegExp(
  `^(?:${DAYS}|${HOURS}|(?:second|minute|hour|day|night|morning|evening|week|month|` +
    `year|euro|dollar|time)s?|end|beginning|middle|start|rest|same|other|first|last|next|` +
    `way|moment|back|(?:pound|gram|kilo|metre|meter|mile|kilometre|kilometer)s?|percent|` +
    `twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)$`,
  "i",
);
const PLACE = new RegExp(
  "^(?:in|at|on|under|behind|above|below|between|near|next to|inside|" +
    "opposite)(?! (?:least|most|all|time|fact|general|case|average|charge|touch|love|" +
    String.raw`order|favou?r)\b) (?:\p{L}|\d)`,
  "u",
);
const ADJECTIVE = new RegExp(
  "^(?<adjective>allergic to|intolerant to|married to|engaged to|related to|" +
    "addicted to|afraid of|scared of|fond of|proud of|tired of|responsible for|" +
    "famous for|interested in|involved in|worried about|good at|bad at|based in|" +
    String.raw`located in|hosted (?:in|on)|written in|owned by|made of|called|named) \S`,
  "u",
);
const TRAITS = new RegExp(
  "^(?:allergic|vegan|vegetarian|pregnant|retired|left-handed|married|engaged|divorced|" +
    "single|colou?r-?blind|diabetic|deaf|ill|sick|unemployed|responsible|afraid|scared|" +
    String.raw`fluent)\b`,
  "u",
);
const VALUE = /^[\p{Lu}\p{Sc}"“]|^\S*\d/u;
const KIN = new RegExp(
  String.raw`\b(?:mother|father|mum|mom|dad|sister|brother|wife|husband|partner|son|daughter|` +
    "uncle|aunt|cousin|grandma|grandpa|grandmother|grandfather|niece|nephew|neighbou?r|" +
    "boss|manager|colleague|landlord|landlady|friend|girlfriend|boyfriend|client|" +
    "customer|doctor|dentist|teacher|in-law|roommate|flatmate|tenant|accountant|" +
    String.raw`lawyer)(?: [A-Z]\S+)*$`,
  "iu",
);
const ROLE = new RegExp(
  String.raw`^(?<who>(?:(?:Dr|Mr|Ms|Mrs)\. )?[A-Z]\p{L}+(?: [A-Z]\p{L}+)?) is (?<role>(?:my|our|` +
    "the) [^.,;]+?)(?:[.,;]| (?:in|at|from|since|and|who|for|of) |$)",
  "u",
);
const PEOPLE = new RegExp(
  `${KIN.source}|(?:owner|worker|engineer|developer|designer|director|trainer|coach|` +
    "president|assistant|editor|plumber|electrician|babysitter|cleaner|supplier|mentor|" +
    "supervisor|contact|lead|head|chief|C[A-Z]O)$",
  "iu",
);
/** Things that are a value. */
const NAMED = new RegExp(
  "(?:password|code|pin|name|colou?r|number|address|e-?mail|phone|user|plan|goal|" +
    "budget|deadline|limit|language|title)$",
  "i",
);
/** Verbs of what people do: "Who" asks for a name before one. */
const OF_PEOPLE = new RegExp(
  "^(?:broke|turned|got|has been (?:promoted|hired|fired)|fought|married|divorced|quit|" +
    "retired|moved|born|studie[ds]|prefers|likes|loves|hates|eats|drinks|drives|owns|" +
    "plays|speaks|teaches|taught|wrote|cooks|lives|works|wants|wears|enjoys|dislikes|" +
    "fears|collects|bought|sold|won|said|told|knows|recommends|became|had|has (?:a|an|" +
    String.raw`two|three)|used to)\b`,
  "u",
);
/** Where a clause ends. */
const CLAUSE = new RegExp(
  "[,(]|: | [–—-] | (?:because|while|although|though|unless|but|so|and|or|which|who|" +
    "when|if|since (?=we|i|he|she|they))(?= )",
  "iu",
);

export const english: Rules = {
  asks: asksOf,
  topics: (sentence) => topicsOf(sentence, partsOf(sentence)?.subject),
  about: (topic) => `What do I know about ${topic}?`,
};

function* asksOf(sentence: string): Generator<string> {
  const role = ROLE.exec(sentence)?.groups;
  if (role !== undefined && PEOPLE.test(role.role!) && wordsOf(role.role!).length <= 4)
    yield `Who is ${role.role}?`;
  const there = /^there(?:['’]s| is| are) (?<rest>.+)$/iu.exec(sentence)?.groups?.rest;
  const under = there && / (?<place>(?:in|under|behind|on|near|next to) .+)$/u.exec(there)?.groups;
  if (under) yield `What is ${clauseOf(under.place!)}?`;
  const parts = partsOf(sentence);
  if (parts !== undefined) yield* askedOf(parts);
}

interface Parts {
  subject: string;
  verb: string;
  /** What follows the verb, to the end of its clause. */
  rest: string;
}

const clauseOf = (text: string): string => text.split(CLAUSE, 1)[0]!.trim();

/** Returns subject and verb of a sentence; undefined if they cannot be told apart. */
function partsOf(shortened: string): Parts | undefined {
  const sentence = shortened.replace(/^(?:i['’]m|we['’]re)\b/iu, (it) =>
    /^i/i.test(it) ? "I am" : "we are",
  );
  const parts = sentence.split(/\s+/);
  const words = parts.map((part) => wordsOf(part)[0] ?? "");
  const first = words[0] ?? "";
  const isSpeaker = /^(?:i|we)$/i.test(first);
  let at = 1;
  if (isSpeaker) while (FREQUENCY.has(words[at] ?? "")) at += 1;
  else while (at < Math.min(words.length, MAX_SUBJECT) && !isVerb(words, at)) at += 1;
  const verb = words[at];
  if (verb === undefined || !(isSpeaker || isSubject(words.slice(0, at)))) return undefined;
  const before = words.slice(0, isSpeaker ? 1 : at).filter((word) => !FREQUENCY.has(word));
  const subject = before.join(" ").replace(/^\S+/u, (word) => {
    const isLow =
      DETERMINERS.has(word.toLowerCase()) ||
      /^we$/i.test(word) ||
      (/s$/.test(word) && at === 1 && VERBS.has(verb));
    return isLow ? word.toLowerCase() : word === "i" ? "I" : word;
  });
  return { subject: shown(subject, verb), verb, rest: clauseOf(parts.slice(at + 1).join(" ")) };
}

/** Whether words are a subject: "the password at the cabin", "Hannah and Ben", "Leo's recital". */
function isSubject(words: readonly string[]): boolean {
  const [first, ...others] = words as [string, ...string[]];
  const inside = others.filter((word) => !FREQUENCY.has(word));
  const isDetermined = DETERMINERS.has(first.toLowerCase());
  if (!isDetermined) {
    if (!/^\p{Lu}[^\d]*$/u.test(first) || FUNCTION.has(first.toLowerCase())) return false;
    if (MEASURE.test(first)) return false;
    if (!/['’]s$/.test(first)) return inside.every((word) => isCapital(word) || word === "and");
  }
  return (
    inside.length > 0 &&
    inside.every((word, at) => {
      const before = inside[at - 1] ?? "";
      if (DETERMINERS.has(word) || /^an?$/.test(word)) return OF_SUBJECT.has(before);
      return OF_SUBJECT.has(word) ? at > 0 : !FUNCTION.has(word);
    })
  );
}

const MAX_SUBJECT = 9;
/** Verbs that have no thing as their object. */
const WITHOUT_OBJECT = wordsIn(
  "meet know go come arrive depart happen sleep live work fall fly run sit stand hang " +
    "belong begin become visit call marry trust travel",
);
/** Words that join another noun to a subject. */
const OF_SUBJECT = wordsIn("at of for in on with to from");

/** A common noun without an article does not keep the capital of its place: "Standup is at nine". */
const shown = (subject: string, verb: string): string =>
  /^[A-Z]\p{Ll}+$/u.test(subject) &&
  (/(?:up|ing|tion|ment)$/u.test(subject) ||
    (/s$/.test(subject) && /^(?:are|were|have)$/.test(verb)))
    ? subject.toLowerCase()
    : subject;

function isVerb(words: readonly string[], at: number): boolean {
  const word = words[at] ?? "";
  if (BE.has(word) || (AUXILIARIES.has(word) && !word.startsWith("'"))) return true;
  const next = words[at + 1] ?? "";
  if (BE.has(next) || AUXILIARIES.has(next)) return false;
  if (PASTS.has(word) || /\p{L}{2}[^e]ed$|ied$/u.test(word)) return true;
  const plain = plainOf(word);
  return plain !== word || (VERBS.has(word) && /s$|people$/.test(words[at - 1]!));
}

/** Returns the plain form of a verb in the third person; the word itself if it is none. */
function plainOf(word: string): string {
  if (word === "has") return "have";
  for (const [ending, instead] of [
    ["ies", "y"],
    ["es", ""],
    ["s", ""],
  ] as const) {
    const plain = word.endsWith(ending) ? word.slice(0, -ending.length) + instead : "";
    if (VERBS.has(plain)) return plain;
  }
  return word;
}

function* askedOf({ subject, verb, rest }: Parts): Generator<string> {
  if (rest === "") return;
  const isSpeaker = subject === "I" || subject === "we";
  if (BE.has(verb)) yield* askedOfBeing(subject, verb, rest);
  const plain = PASTS.get(verb) ?? plainOf(verb);
  const isPast = PASTS.has(verb) && !(verb === "read" && isSpeaker);
  const isKnown =
    isPast || plain !== verb || (VERBS.has(verb) && (isSpeaker || /s$/.test(subject)));
  // "Has given up" has no object.
  const isPerfect =
    plain === "have" &&
    !/^(?:an?|no|two|three|four|\d+|my|our|his|her|their|the|\p{Lu}\S*) /u.test(rest);
  const negated = isSpeaker && /^(?:don['’]t|do not)$/.test(verb) ? wordsOf(rest)[0]! : "";
  if (VERBS.has(negated) && isObject(rest.slice(negated.length).trim()))
    yield `What do ${subject} not ${negated}?`;
  if (/^(?:don|do)/.test(verb)) return;
  if (isKnown && !isPerfect) {
    const does = isPast ? "did" : isSpeaker || plain === verb ? "do" : "does";
    const asked = (what: string, end = "") => `${what} ${does} ${subject} ${plain}${end}?`;
    const when = timeIn(rest);
    const to = /^to (?<verb>\p{Ll}+) (?<object>.+)$/u.exec(rest)?.groups;
    if (when === 0) yield asked("When");
    else if (PLACE.test(rest) && plain === "work" && /^on /.test(rest)) return;
    else if (
      PLACE.test(rest) &&
      /^(?:live|work|stay|sit|stand|hang|park|hold|meet|keep|store|sleep|belong|train|study|travel|run)$/.test(
        plain,
      )
    )
      yield asked("Where");
    else if (to !== undefined && VERBS.has(to.verb!) && isObject(to.object!))
      yield asked("What", ` to ${to.verb}`);
    else if (isObject(rest)) {
      const after = when === undefined ? "" : ` ${rest.slice(when)}`;
      const object = rest.slice(0, when).trim();
      if (
        /^(?:start|begin|end|open|close|leave|arrive|depart|expire|happen)$/.test(plain) &&
        when !== undefined
      )
        yield asked("When", ` ${object}`);
      else if (!WITHOUT_OBJECT.has(plain)) yield asked("What", isSpeaker ? after : "");
      else if (when !== undefined) yield asked("When", ` ${object}`);
    } else if (
      when !== undefined &&
      /^(?:start|begin|end|open|close|leave|arrive|depart|expire)$/.test(plain)
    )
      yield asked("When", ` ${rest.slice(0, when).trim()}`);
  }
  const told = `${verb} ${rest}`;
  const isPerson = KIN.test(subject) || (!/['’]s /.test(subject) && OF_PEOPLE.test(told));
  if (
    !isSpeaker &&
    isPerson &&
    !BE.has(verb) &&
    !(VERBS.has(verb) && !PASTS.has(verb)) &&
    isName(subject)
  )
    yield `Who ${told}?`;
}

function* askedOfBeing(subject: string, verb: string, rest: string): Generator<string> {
  const be = subject === "I" ? "am" : verb;
  const turned = (what: string, end = "") => `${what} ${be} ${subject}${end}?`;
  const { adjective } = ADJECTIVE.exec(rest)?.groups ?? {};
  const isSpeaker = be === "am" || subject === "we";
  const doing = /^(?<what>\p{Ll}+) (?<object>.+)$/u.exec(rest)?.groups;
  if (adjective !== undefined) {
    const what = /in$/.test(adjective) && /^(?:based|located)/.test(adjective) ? "Where" : "What";
    const isWhom = /^(?:married|engaged|related) /.test(adjective);
    yield turned(
      isWhom ? "Who" : what,
      ` ${what === "Where" ? adjective.slice(0, -3) : adjective}`,
    );
  } else if (TIME.test(rest)) yield turned("When");
  else if (/^\d+ years? old$/.test(rest)) yield turned("How old");
  else if (doing !== undefined && !FUNCTION.has(doing.what!)) {
    if (timeIn(doing.object!) === 0) yield turned("When", ` ${doing.what}`);
    else if (
      /ing$/.test(doing.what!) &&
      VERBS.has(doing.what!.slice(0, -3)) &&
      isObject(doing.object!)
    )
      yield turned("What", ` ${doing.what}`);
  } else if (PLACE.test(rest)) yield turned("Where");
  else if (/^an? /.test(rest) && !isSpeaker)
    yield turned(isName(subject) && !/^my|^our|^the/.test(subject) ? "Who" : "What");
  else if (!isSpeaker && (VALUE.test(rest) || NAMED.test(headOf(subject))))
    yield turned(PEOPLE.test(headOf(subject)) ? "Who" : "What");
  if (TRAITS.test(rest) && !isSpeaker && /^(?:is|was)$/.test(verb)) yield `Who ${verb} ${rest}?`;
}

/** Returns a subject without what is said of it: "the cabin" of "the cabin at the lake". */
const headOf = (subject: string): string => subject.split(/ (?:at|of|for|in|on|with|from) /, 1)[0]!;

/** Whether a subject may be a person: a name, or a relative. */
const isName = (subject: string): boolean => isCapital(subject) || KIN.test(subject);

/** Returns where a text goes on with a time; undefined if it does not. */
function timeIn(text: string): number | undefined {
  for (let at = 0; at >= 0 && at < text.length; at = text.indexOf(" ", at) + 1) {
    if (TIME.test(text.slice(at)) && !/^(?:the|of|in the) /.test(text.slice(at))) return at;
    if (text.indexOf(" ", at) < 0) break;
  }
  return undefined;
}

/** Whether a text begins as the object of a verb does. */
function isObject(text: string): boolean {
  const [first = ""] = wordsOf(text);
  const isArticle = /^(?:a|an|no|some|all|each|every|two|three|both)$/.test(first);
  if (DETERMINERS.has(first.toLowerCase()) || isArticle) return true;
  return first !== "" && !FUNCTION.has(first.toLowerCase()) && !/ly$|ing$|ed$/.test(first);
}

/** What begins an order to someone: it is no part of a name. */
const COMMANDS = wordsIn("email ask text tell remind invite thank contact phone meet congratulate");
/** What a name or a noun keeps before it. */
const ARTICLE = /^(?:my|our|his|her|their|the)$/i;
const TITLE = /^(?:Dr|Mr|Ms|Mrs)\.?$/;

/** Returns what a sentence is about, as it stands in it: names first, then things, then a word. */
function* topicsOf(sentence: string, subject: string | undefined): Generator<string> {
  const words = sentence.split(/\s+/);
  const bare = words.map((word) => wordsOf(word)[0] ?? "");
  const isOfTime = (word: string) => MEASURE.test(word);
  const ofName = (word: string) =>
    (/^\p{Lu}.{2}/u.test(word) || TITLE.test(word)) &&
    !FUNCTION.has(word.toLowerCase()) &&
    !isOfTime(word);
  const isWhole =
    ofName(bare[1] ?? "") &&
    !COMMANDS.has(bare[0]!.toLowerCase()) &&
    ![VERBS, PASTS].some((verbs) => verbs.has(bare[0]!.toLowerCase()));
  for (let at = isWhole ? 0 : 1; at < words.length; at++) {
    if (!ofName(bare[at]!) || /[.!?:]$/.test((words[at - 1] ?? "").replace(TITLE, ""))) continue;
    let end = at + 1;
    const goesOn = () =>
      end < words.length && ofName(bare[end]!) && !/[,;:)]$/.test(words[end - 1]!);
    while (goesOn()) end += 1;
    const before = bare[at - 1]?.toLowerCase() ?? "";
    const isPlaced =
      at > 1 &&
      !/[,.;:]$/.test(words[at - 1]!) &&
      ARTICLE.test(bare[at - 2]!) &&
      !FUNCTION.has(before);
    const article = isPlaced
      ? `${bare[at - 2]!.toLowerCase()} ${bare[at - 1]} `
      : ARTICLE.test(before) && !isCapital(bare[at - 1]!.slice(1))
        ? `${before} `
        : "";
    const next = bare[end];
    const isOfThing =
      article !== "" && /^\p{Ll}/u.test(next ?? "") && !FUNCTION.has(next!) && !isVerb(bare, end);
    yield `${article}${bare
      .slice(at, end)
      .join(" ")
      .replace(/['’]s$/u, "")}${isOfThing && isLast(words, end) ? ` ${next}` : ""}`;
    at = end;
  }
  if (subject !== undefined && !FUNCTION.has(subject.toLowerCase())) yield subject;
  for (let at = 0; at < words.length; at++) {
    if (!ARTICLE.test(bare[at]!)) continue;
    let end = at + 1;
    while (end < words.length && end <= at + 3 && /^[\p{L}-]+$/u.test(bare[end]!)) {
      if (FUNCTION.has(bare[end]!.toLowerCase()) || isOfTime(bare[end]!)) break;
      if (end > at + 1 && isVerb(bare, end)) break;
      end += 1;
      if (/[,.;:)]$/.test(words[end - 1]!)) break;
    }
    if (end === at + 1 || !(isLast(words, end - 1) || isVerb(bare, end))) continue;
    yield [bare[at]!.toLowerCase(), ...bare.slice(at + 1, end)].join(" ");
  }
  const isTelling = (word: string, at: number) =>
    /^\p{L}[\p{L}-]{2,}$/u.test(word) &&
    !FUNCTION.has(word.toLowerCase()) &&
    !isOfTime(word) &&
    !isVerb(bare, at);
  const last = bare.findLast(isTelling);
  if (last !== undefined) yield `“${last}”`;
}

/** Whether a phrase may end with this word: at a mark, at the end, or before a word of function. */
const isLast = (words: readonly string[], at: number): boolean =>
  at + 1 >= words.length ||
  /[,.;:)]$/.test(words[at]!) ||
  FUNCTION.has(wordsOf(words[at + 1]!)[0]?.toLowerCase() ?? "");
