// Questions of a Spanish statement. The subject may follow the verb in a question, so both stay as they
// are; the verb must be known, since nothing else tells where the subject ends.

import { isCapital, type Rules, wordsIn, wordsOf } from "./sentence.ts";

const WORDS = wordsIn(
  "el la los las un una unos unas y o pero de del al en con para por que hay es son está " +
    "están mi mis tu su sus nuestro nuestra se nos le lo desde hasta cada antes después " +
    "muy tengo soy estoy yo ya fue era como más nunca siempre también",
);
const REGULAR =
  "ar:trabaj ar:compr ar:odi ar:estudi ar:tom ar:us ar:necesit ar:lleg ar:empez " +
  "ar:termin ar:cerr ar:habl ar:viaj ar:gan ar:pag ar:toc ar:cocin ar:visit ar:enseñ " +
  "ar:reinici ar:qued ar:cas ar:llev ar:mud ar:dej ar:celebr ar:guard ar:aparc ar:prepar " +
  "ar:actualiz ar:renov ar:cost ar:durm ar:am ar:evit ar:alquil ar:contest ar:mand " +
  "ar:escuch ar:organiz er:com er:beb er:le er:vend er:aprend er:nac er:venc er:deb " +
  "er:perd ir:viv ir:abr ir:escrib ir:prefir ir:sal ir:reun";
const IRREGULAR = wordsIn(
  "es son era fue está están estaba tiene tienen tengo tenemos quiere quieren quiero " +
    "queremos prefiere prefiero preferimos va van voy vamos empieza empiezan comienza " +
    "comienzan cierra cierran sale salen salgo puede pueden cuesta cuestan conduce " +
    "conduzco juega juego duerme duermo hace hago hacemos nació murió vuelve vuelven viene " +
    "vienen soy somos estoy estamos llama llaman llamo guarda vence vencen reúne reúnen " +
    "toma sabe",
);
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  ar: ["o", "a", "amos", "an", "é", "ó", "aron"],
  er: ["o", "e", "emos", "en", "í", "ió", "imos", "ieron"],
  ir: ["o", "e", "imos", "en", "í", "ió", "ieron"],
};
const VERBS = new Set([
  ...IRREGULAR,
  ...REGULAR.split(" ").flatMap((pair) => {
    const [kind, stem] = pair.split(":") as [string, string];
    return ENDINGS[kind]!.map((ending) => stem + ending);
  }),
]);
/** Words that tell Spanish. */
export const SPANISH = new Set([
  ...WORDS,
  ...[...VERBS].filter((word) => word.length > 4 || /[áéíóú]/.test(word)),
  "como",
]);
const BE = /^(?:es|son|era|eran|fue|soy|somos)$/u;
const CLITIC = /^(?:no|se|me|nos|le|les|lo|la|los|las|ya|te)$/iu;
const DETERMINER =
  /^(?:el|la|los|las|un|una|unos|unas|mis?|sus?|nuestr[oa]s?|est[ea]s?|estos|cada)$/iu;
const DAY =
  "lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|enero|febrero|marzo|abril|" +
  "mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|primavera|verano|otoño|" +
  "invierno|navidad|noche|mañana|tarde|día|semana|mes|año|trimestre|fin de semana";
const HOUR = "\\d{1,2}(?::\\d\\d)?|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce";
const TIME = new RegExp(
  "^(?:(?<since>desde|hasta) )?(?:(?:en|el|los|las|la|cada|todos|todas|próximo|próxima|" +
    "por|antes del?|después del?|a finales de|a principios de|a|este|esta|día|primer|" +
    String.raw`último) )*(?:(?:${DAY})(?![\p{L}])|(?<=(?:desde|hasta|en|de) )(?:19|20)\d\d\b|` +
    String.raw`\d{1,2} de (?:${DAY})|día (?:${HOUR}))|^a las? (?:${HOUR})|^(?:hoy|mañana|` +
    String.raw`ayer)(?![\p{L}])`,
  "iu",
);
/** What counts, and is no subject: times, amounts. */
const MEASURE = new RegExp(`^(?:${DAY}|${HOUR}|(?:hora|día|mese|año|semana|euro|minuto)s)$`, "iu");
const PLACE = new RegExp(
  "^(?:en|detrás de|debajo de|encima de|cerca de|junto a|bajo|sobre) (?:(?:el|la|los|" +
    String.raw`las|un|una|mi|su|nuestr[oa]) )?\p{L}+`,
  "iu",
);
const CLAUSE = /[,;(]|: | (?:porque|pero|aunque|cuando|y|ni|mientras|si|así que) /u;
const PERSONAL = new RegExp(
  "^(?:se (?:casó|jubiló|mudó)|nació|tiene|odia|prefiere|estudia|trabaja|vive|toca|" +
    "habla|enseña|compró|vendió|perdió|ganó|quiere|come|bebe|va|llegó|dejó|escribió|" +
    String.raw`conduce|juega|sabe)(?![\p{L}])`,
  "u",
);
/** Things that are a value. */
const NAMED =
  /(?:contraseña|clave|código|nombre|color|número|dirección|correo|teléfono|usuario)(?: |$)/iu;
const KIN = new RegExp(
  "(?:madre|padre|mamá|papá|herman[oa]|hij[oa]|abuel[oa]|tí[oa]|prim[oa]|novi[oa]|" +
    "espos[oa]|marido|mujer|jef[ea]|amig[oa]|vecin[oa]|client[ea]|profesora?|médic[oa]|" +
    String.raw`doctora?|compañer[oa]|caser[oa])(?: \p{Lu}\S*)?$`,
  "iu",
);

export const spanish: Rules = {
  asks: asksOf,
  topics: topicsOf,
  about: (topic) => `¿Qué sé sobre ${topic}?`,
};

function* asksOf(whole: string): Generator<string> {
  const words = whole.split(/\s+/);
  const at = placeOfVerb(words);
  if (at !== undefined) yield* askedOf(words, at);
  else {
    const sentence = clauseOf(words);
    const must = /^hay que (?<verb>\p{L}+r) (?<rest>.+)$/iu.exec(sentence)?.groups;
    if (must !== undefined) yield* askedOfDuty(must.verb!, must.rest!);
    const there = /^hay (?:un|una|unos|unas) \p{L}+ (?<place>.+)$/iu.exec(sentence)?.groups?.place;
    if (there !== undefined && PLACE.test(there)) yield `¿Qué hay ${there}?`;
    const [time = ""] = TIME.exec(sentence) ?? [];
    const [verb = "", ...rest] = sentence.slice(time.length).trim().split(" ");
    if (time !== "" && VERBS.has(verb) && rest.length > 0)
      yield `¿Cuándo ${verb} ${rest.join(" ")}?`;
  }
}

/** Words that stand within a subject. */
const IN_SUBJECT = wordsIn("de del con en para a al y el la los las mi mis su sus");
/** Verbs that have no thing as their object, and those after which a place is none. */
const WITHOUT_OBJECT =
  /^(?:trabaj|viv|nac|lleg|viaj|qued|mud|cas|sal|va|voy|vuelv|vien|dur|duerm)/u;
const ENDS = /^(?:termin|emp[ei]|comienz)/u;

const clauseOf = (words: readonly string[]): string => words.join(" ").split(CLAUSE, 1)[0]!.trim();

function placeOfVerb(words: readonly string[]): number | undefined {
  const known = (at: number) => VERBS.has((words[at] ?? "").toLowerCase());
  if (TIME.test(words.join(" "))) return undefined;
  let at = 0;
  if (/^(?:yo|nosotr[oa]s)$/i.test(words[0]!)) at = 1;
  else if (DETERMINER.test(words[0]!)) {
    at = 2;
    while (at < Math.min(words.length, 9) && !known(at)) at += 1;
    if (CLITIC.test(words[at - 1]!) && !DETERMINER.test(words[at - 2] ?? "")) at -= 1;
  } else if (
    isCapital(words[0]!) &&
    !known(0) &&
    !CLITIC.test(words[0]!) &&
    !WORDS.has(words[0]!.toLowerCase())
  ) {
    while (at < 4 && (isCapital(words[at] ?? "") || words[at] === "y")) at += 1;
  }
  const from = at;
  while (CLITIC.test(words[at] ?? "")) at += 1;
  const inside = words.slice(1, from).every((word) => !SPANISH.has(word) || IN_SUBJECT.has(word));
  if (!inside) return undefined;
  const isLiking = /^gustan?$/.test(words[at] ?? "");
  return at - from < 4 && (known(at) || isLiking) && at < words.length - 1 ? at : undefined;
}

function* askedOf(words: readonly string[], at: number): Generator<string> {
  let from = at;
  while (from > 0 && CLITIC.test(words[from - 1]!)) from -= 1;
  // Within a question the first word has no capital.
  const before = words.slice(0, from);
  const isOpen = before.length === 0 || /^(?:yo|nosotr[oa]s)$/i.test(before[0]!);
  const [first = ""] = before;
  const low = DETERMINER.test(first) ? first.toLowerCase() : first;
  const subject = isOpen ? "" : ` ${[low, ...before.slice(1)].join(" ")}`;
  const verb = words.slice(from, at + 1).join(" ");
  const said = /^\p{Lu}/u.test(verb) ? verb.toLowerCase() : verb;
  const rest = clauseOf(words.slice(at + 1));
  const asked = (what: string, end = "") =>
    `¿${what} ${said}${subject}${end === "" ? "" : ` ${end}`}?`;
  const time = TIME.exec(rest);
  const place = PLACE.exec(rest);
  const plain = words[at]!.toLowerCase();
  const about =
    /^(?<what>alérgic[oa]s?|adict[oa]s?|responsables?|aficionad[oa]s?) (?<by>al?|del?) /u.exec(
      rest,
    )?.groups;
  const doing =
    /^(?<doing>(?:\p{L}+)[aie]ndo(?: a \p{L}+r)?) (?:el|la|los|las|un|una|\p{Ll}+)/u.exec(rest)
      ?.groups?.doing;
  if (about !== undefined)
    yield `¿${about.by!.startsWith("a") ? "A" : "De"} qué ${said} ${about.what}${subject}?`;
  else if (/ ?(?:me|se|nos) llam/.test(said)) yield asked("Cómo");
  else if (/^cuestan?$/.test(said)) yield asked("Cuánto");
  else if (/gustan?$/.test(said)) yield asked("Qué");
  else if (time !== null) {
    const since = time.groups!.since?.toLowerCase() ?? "";
    yield asked({ desde: "Desde cuándo", hasta: "Hasta cuándo" }[since] ?? "Cuándo");
  } else if (place !== null && !BE.test(plain) && !ENDS.test(plain)) yield asked("Dónde");
  else if (/^est(?:oy|á|án|amos)$/.test(plain) && doing !== undefined)
    yield asked("Qué", "").replace(said, `${said} ${doing}`);
  else if (/^(?:es|son)$/.test(plain) && subject !== "") {
    if (/^\S*\d\S*$|^[“"«]/.test(rest) || NAMED.test(subject)) yield asked("Cuál");
    else if (/^una? /.test(rest) || KIN.test(rest))
      yield asked(KIN.test(subject) || !DETERMINER.test(wordsOf(subject)[0]!) ? "Quién" : "Qué");
  } else if (
    !BE.test(plain) &&
    !/^est/.test(plain) &&
    !WITHOUT_OBJECT.test(plain) &&
    isObject(rest)
  )
    yield asked("Qué");
  const isPerson = KIN.test(subject) || (subject !== "" && !DETERMINER.test(wordsOf(subject)[0]!));
  if (isPerson && PERSONAL.test(`${said} ${rest}`)) yield `¿Quién ${said} ${rest}?`;
}

function* askedOfDuty(verb: string, rest: string): Generator<string> {
  const words = rest.split(" ");
  for (let at = 1; at < words.length; at++) {
    if (TIME.test(words.slice(at).join(" "))) {
      yield `¿Cuándo hay que ${verb} ${words.slice(0, at).join(" ")}?`;
      return;
    }
  }
  if (isObject(rest)) yield `¿Qué hay que ${verb}?`;
}

/** Whether a text begins as an object that is no person. */
const isObject = (rest: string): boolean =>
  DETERMINER.test(rest.split(" ", 1)[0]!) ||
  (/^(?:\d+|\p{Ll}{3,})(?: |$)/u.test(rest) &&
    !/^(?:para|por|con|como|que|muy|más|sobre|hacia|desde|entre|bien|mal|mucho|poco|aquí|allí)(?: |$)/u.test(
      rest,
    ));

/** Returns what a sentence is about, as it stands in it. */
function* topicsOf(sentence: string): Generator<string> {
  const words = sentence.split(/\s+/);
  const bare = words.map((word) => wordsOf(word)[0]?.replace(/[.]$/, "") ?? "");
  const isTime = (word: string) => MEASURE.test(word);
  const isWord = (word: string) =>
    WORDS.has(word.toLowerCase()) || DETERMINER.test(word) || CLITIC.test(word);
  const isName = (at: number) =>
    isCapital(bare[at] ?? "") && !isTime(bare[at]!) && (at > 0 || VERBS.has(bare[1] ?? ""));
  for (let at = 0; at < words.length; at++) {
    if (!isName(at) || (isWord(bare[at]!) && !isName(at + 1))) continue;
    let end = at + 1;
    while (isName(end) && !/[,.;:]$/.test(words[end - 1]!)) end += 1;
    yield bare.slice(at, end).join(" ");
    at = end;
  }
  for (let at = 0; at + 1 < words.length; at++) {
    const noun = bare[at + 1]!;
    if (
      !DETERMINER.test(bare[at]!) ||
      /^una?s?$/i.test(bare[at]!) ||
      !/^\p{L}{3,}$/u.test(noun) ||
      isTime(noun) ||
      isWord(noun)
    )
      continue;
    yield `${bare[at]!.toLowerCase()} ${noun}`;
  }
  const last = bare.findLast(
    (word) =>
      /^\p{L}{4,}$/u.test(word) && !isWord(word) && !isTime(word) && !VERBS.has(word.toLowerCase()),
  );
  if (last !== undefined) yield `«${last}»`;
}
