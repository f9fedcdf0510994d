// The words by which the rule of replacing reads statements: English, German and Spanish.

const listed = (...lines: string[]): ReadonlySet<string> =>
  new Set(lines.join(" ").split(/\s+/).filter(Boolean));

/** The letters by which words are compared, in place of stems of some languages. */
const MAX_KEY = 6;

/** Returns how a word is compared. */
export function keyOf(lower: string): string {
  if (/\p{N}/u.test(lower)) return lower;
  return lower.replace(/(?<=\p{L}{3})(?:ies|s)$/u, "").slice(0, MAX_KEY);
}

/** Words that say nothing of their own. */
export const FUNCTION_WORDS = listed(
  "a an the this that these those there here it its it's is are was were be been being am i'm i've",
  "we've has have had having do does did done of to in on at by for from with and or but if than",
  "as",
  "into onto over under about after before per each every all any some so such not no nor only",
  "just",
  "i me my mine we us our ours you your yours he him his she her hers they them their who which",
  "what",
  "when where how why will would can could may might must shall should let's s t re ve ll d",
  "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird",
  "werden wurde hat habe haben hatte hatten im am um zu zum zur von vom bei beim mit für auf aus",
  "an",
  "in nach über unter es er sie ich mich mir mein meine meinen meinem meiner wir uns unser unsere",
  "unseren unserer du dein deine ihr ihre sein seine nicht kein keine keinen keinem sondern als",
  "wie",
  "so nur dass wenn sich man uhr el la los las lo un una unos unas y o pero es son era eran está",
  "están ser estar ha han he hemos hay de del al en con por para sin sobre que se su sus mi mis yo",
  "me nos nuestro nuestra nuestros tu tus no ni como más",
);

/** The speaker. */
export const SPEAKER = listed(
  "i my me mine i'm i've i'd we our us we've we're ich mein meine meinen meinem meiner mich mir",
  "wir",
  "unser unsere unseren unserer uns yo mi mis me mío nos nuestro nuestra nuestros nosotros",
);

/** Spanish verbs whose end says that the speaker acts. */
export const SPEAKER_VERBS = listed(
  "vivo trabajo tengo tomo uso usamos tenemos vivimos prefiero juego hablo viajé viví vendí compré",
);

export const WEEKDAYS = listed(
  "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays",
  "fridays saturdays sundays montag dienstag mittwoch donnerstag freitag samstag sonntag montags",
  "dienstags mittwochs donnerstags freitags samstags sonntags lunes martes miércoles jueves",
  "viernes",
  "sábado sábados domingo domingos",
);

export const MONTHS = listed(
  "january february march april may june july august september october november december januar",
  "februar märz mai juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto",
  "septiembre octubre noviembre diciembre",
);

/** Words after a number that say what it measures: the number is a value. */
export const UNITS = listed(
  "euro euros dollars pounds cents second seconds minute minutes hour hours day days week weeks",
  "month",
  "months year years percent kg kilos gram grams mg ml km miles metres meters cm mm mb gb tb kb",
  "degrees",
  "people members requests points steps pages times sekunden minuten stunden tage wochen monate",
  "jahre",
  "prozent kilo grad personen segundos minutos horas días semanas meses años por kilómetros grados",
);

/** Verbs that say what one attribute is: "the port is 80", "it was founded by Ada". */
export const SAYS_WHICH = listed(
  "is are was were called named located founded led ist sind war heißt lautet es son está fue",
  "llama",
);

/** Words with which a description of one thing begins. */
export const DEFINITE = listed(
  "the my our der die das mein meine unser unsere el la mi nuestro nuestra",
);

/** Persons by what they are to the speaker, as they are compared. */
export const PERSONS: ReadonlySet<string> = new Set(
  [
    "brother sister mother father mum mom dad wife husband son daughter neighbour neighbor",
    "friend boss",
    "manager grandma grandpa grandmother grandfather uncle aunt cousin colleague partner",
    "roommate landlord",
    "bruder schwester mutter vater mama papa oma opa frau mann sohn tochter nachbar freund chef",
    "kollege",
    "hermano hermana madre padre mamá papá mujer marido hijo hija vecino amigo jefe primo abuela",
    "abuelo",
  ].flatMap((line) => line.split(" ").map(keyOf)),
);

/** Nouns that a number after them tells apart: "ticket 12". */
export const NUMBERED = listed(
  "ticket tickets issue item number no nr step chapter page part section test case day week run",
  "trade order invoice build line row id user fact note memory entry record message event",
  "experiment",
  "lane batch task sample patient player lot epoch round lesson unit volume episode bug pr figure",
  "question sprint q quarter phase stage aufgabe rechnung schritt kapitel seite teil zimmer tag",
  "woche",
  "nummer eintrag notiz nachricht factura paso capítulo página parte día semana número nota",
  "mensaje",
  "entrada pedido pump widget server sensor machine table seat apartment gate channel slot rack",
  "zone",
);

const phrases = (...lines: string[]): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${lines.join("|").replaceAll(" ", "\\s+")})(?![\\p{L}\\p{N}])`,
    "giu",
  );

/** Phrases of the newer statement, by what they say of the older one. */
export const PHRASES = {
  /** It holds from now on. */
  now: phrases(
    "now|these days|nowadays|since|from now on|from today|as of|starting|by default|this (?:year",
    "term)",
    "currently|henceforth|at present|jetzt|nun|inzwischen|mittlerweile|seit(?:dem)?|ab sofort",
    "ab heute|ab",
    "neuerdings|ahora|desde|a partir de|actualmente|hoy en día",
  ),
  /** What held has ended. */
  ended: phrases(
    "no longer|no more|any ?more|any longer|instead(?: of)?|rather than|not any|stopped|quit",
    "cancell?ed",
    "sold|left|gave up|given up|dropped|closed|retired|ended|broke up|divorced|is gone|are gone",
    "lost",
    "disabled|removed|abandoned|decided against|after all|never again|used to|nicht mehr",
    "kein(?:e|en)? mehr",
    "nur noch|statt(?:dessen)?|anstatt|aufgehört|gekündigt|verkauft|getrennt|beendet|im ruhestand",
    "ya no|en vez de|en lugar de|dejó|dejé|dejamos|vend[íi]|cancel[óé]|terminó",
  ),
  /** It has become another one. */
  became: phrases(
    "moved|moves|relocated|migrated|switched|changed|renamed|rebranded|rewritten|replaced",
    "rescheduled",
    "postponed|slipped|upgraded|updated|raised|lowered|reduced?|increased|grew|grown|took over",
    "takes over",
    "taken over|handed over|became|become|turned into|flipped|married|corrected|correction",
    "went (?:up|down)",
    "new(?! year)|has gone to|gone up|gone down|bought|promoted|fixed|solved|resolved|signed",
    "arrived|finished",
    "found|learned|passed|verschoben|verlegt|umgezogen|umbenannt|gewechselt|geändert|gestiegen",
    "gesunken",
    "neu(?:e|er|es|en)?|ausgezogen|angekommen|ersetzt|geworden|erhöht|gesenkt",
    "mudado|mudó|mudé|cambió|cambiado|cambiamos|pasó|subido|bajado|nuev[oa]|llegó|compr[óé]",
    "sustituy[óe]",
  ),
  /** It is again as before. */
  again: phrases(
    "again|(?:is|are|came|comes|went|goes|moved) back|back from|home from|reopened|wieder",
    "de nuevo|otra vez",
  ),
  /** It corrects what was said. */
  corrects: phrases(
    "actually|correction|i was wrong|i meant|turns out|not in|eigentlich|doch nicht|korrektur",
    "en realidad",
    "corrección|update|heads up",
  ),
  /** Something is added, and what was stays. */
  added: phrases(
    "too|also|as well|another|additional(?:ly)?|in addition|besides|second|third|other|one more",
    "extra|plus",
    "both|likewise|moreover|furthermore|a copy|auch|noch ein(?:e|en)?|noch|zusätzlich|außerdem",
    "weiter(?:e|er|es|en)",
    "zweit(?:e|er|es|en)|daneben|ebenfalls|también|tambien|además|otr[oa]s?|segund[oa]|igualmente",
  ),
  /** It tells of another time, of a wish, or of an exception. */
  aside: phrases(
    "as a child|before that|formerly|previously|last (?:year|month|week|summer|winter)|years ago",
    "back then",
    "once|in the past|until|would like|would love|want to|wants to|plan(?:s|ning)? to|maybe",
    "perhaps|might",
    "one day|some ?day|dream(?:s)? of|think(?:s|ing)? (?:of|about)|consider(?:s|ing)?|next year",
    "holiday",
    "new year's eve|christmas|exception(?:ally)?|today only|just today|yesterday|this morning",
    "tonight",
    "früher|vorher|damals|als kind|ehemals|letzte[sn]? (?:jahr|woche|monat)|bis|möchte",
    "vielleicht|eines tages",
    "gestern|heute abend|ausnahmsweise|antes|de niñ[oa]|anteriormente|hace años|quizás?",
    "algún día|ayer|hasta",
  ),
  /** It happened, and stays true. */
  happened: phrases(
    "went|visited|called|watched|ate|flew|paid|met|had (?:lunch|dinner|breakfast)|won|wrote|sent",
    "said|told",
    "ran|failed|succeeded|passed on|was down|was at the|bought a|celebrated|rained|borrowed",
    "invited|cooked",
    "yesterday|tonight|this morning|last night|had|gab es|geimpft|gewogen|gelaufen|gelesen|essen",
    "gestern",
    "waren wir|war ich|bin ich|comimos|viajé|cené|ayer|fuimos|read|deploy of|we talked",
    "we agreed on the",
  ),
} as const satisfies Readonly<Record<string, RegExp>>;

/** Words that deny. */
export const DENIES = phrases(
  "not|no|never|don't|doesn't|didn't|isn't|aren't|can't|cannot|won't|without|nobody|nicht",
  "kein(?:e|en|em|er)?",
  "nie|niemals|nunca|jamás|sin",
);

/** Words of which the newer one denies the older one. */
export const OPPOSITES: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  ["open offen abierto abierta", "closed zu geschlossen cerrado cerrada"],
  ["on an", "off aus"],
  ["enabled active aktiv activo", "disabled inactive inaktiv inactivo"],
  ["broken kaputt roto", "working works repaired fixed fährt funktioniert funciona"],
  ["positive positiv", "negative negativ"],
  ["single", "girlfriend boyfriend married engaged"],
  ["vegetarian vegan", "meat fish"],
  ["likes like loves love gern", "hates hate dislikes"],
  ["allowed", "forbidden"],
  ["free frei libre", "taken booked occupied belegt ocupado"],
].map(([one, other]) => [listed(one!), listed(other!)] as const);

/** Words that tell of a change, and words of what they change: who moved lives elsewhere. */
export const LINKED: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  [
    "moved relocated address umgezogen gezogen mudado mudó mudé",
    "live lives living home flat address wohne wohnt wohnen vivo vive vivimos oficina office büro",
  ],
  ["renamed rebranded umbenannt llamarse", "called named name heißt llama"],
  [
    "quit left job joined hired promoted gekündigt arbeite trabajo",
    "work works job employed arbeite arbeitet trabajo trabaja",
  ],
  ["sold bought verkauft vendí compré", "drive drives car bike fahre auto coche"],
  ["took takes taken handed leitet dirige", "lead leads manager boss head runs leitet dirige"],
  ["switched migrated moved longer statt vez", "use uses run runs stored stores benutzen usamos"],
  ["stopped quit gave cancelled anymore", "smoke plays play sing eats drink drinks subscription"],
  ["upgraded updated released", "version runs run database app"],
  ["married broke divorced girlfriend boyfriend", "dating single engaged married"],
  [
    "raised lowered doubled halved rose fell gestiegen subido",
    "is are costs cost take takes kostet cuesta",
  ],
].map(([one, other]) => [listed(one!), listed(other!)] as const);
