// The words by which the rule of replacing reads statements: English, German and Spanish.

const listed = (...lines: string[]): ReadonlySet<string> =>
  new Set(lines.join(" ").split(/\s+/).filter(Boolean));

/** The letters by which words are compared, in place of stems of some languages. */
const MAX_KEY = 7;

/** Returns how a word is compared. */
export function keyOf(lower: string): string {
  if (/\p{N}/u.test(lower)) return lower;
  return lower.replace(/(?<=\p{L}{3})(?:ies|s)$/u, "").slice(0, MAX_KEY);
}

/** Numbers that are written as words. */
export const NUMBERS: ReadonlyMap<string, string> = new Map(
  [
    "one two three four five six seven eight nine ten eleven twelve",
    "eins zwei drei vier fünf sechs sieben acht neun zehn",
    "uno dos tres cuatro cinco seis siete ocho nueve diez",
  ].flatMap((line) => line.split(" ").map((word, place) => [word, `${place + 1}`] as const)),
);

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

/** Verbs of which a noun with a number before them is the subject: "pier 7 is closed". */
export const TELLS_OF = listed(
  "is are was were has have had does did will can must may ist sind war waren hat hatte wird kann",
  "muss es está están fue era tiene tenía puede",
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
    "disabled|removed|abandoned|decided against|after all|never again|nicht mehr",
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
    "sustituy[óe]|pasan? a|traslad[óa]|trasladado|se va a",
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
  /** What was holds on. */
  confirms: phrases(
    "still|remains?|stays?|unchanged|continues?|as (?:before|always|ever)|keeps|confirm(?:ed)?",
    "reminder|immer noch|weiterhin|nach wie vor|bleib(?:t|en)|wie immer|bestätigt",
    "sigue[ns]?|todavía|aún|se mantiene|como siempre",
  ),
  /** It is hearsay. "The address is unverified now" is none: it tells a state. */
  hearsay: phrases(
    "(?:unverified|unconfirmed)(?=:|\\s+(?:note|report|claim|alternative|information|rumou?r)s?)",
    "rumou?rs?|rumou?red|hearsay|allegedly|gerüchte?|angeblich|rumor(?:es)?|supuestamente",
  ),
  /** It denies a change: nothing has moved, and nobody has left. */
  unchanged: phrases(
    "(?:not|n['’]t|never|nothing|nobody|none)(?: has| have| had| was| were| been| yet)* (?:changed?|moved?",
    "switch(?:ed)?|renamed?|replaced?|rais(?:ed?)|lower(?:ed)?|rescheduled?|postponed?|sold|left|quit)",
    "no changes?|unverändert|nichts (?:hat sich )?geändert",
    "nicht (?:geändert|umgezogen|verlegt|verschoben|gewechselt|umbenannt|ersetzt|gestiegen|gekündigt)",
    "(?:no|nada) (?:ha|han|se ha|se han) (?:cambiado|mudado|trasladado|movido|subido|bajado)",
  ),
  /** It holds for one time only. */
  once: phrases(
    "today|tomorrow|tonight|this (?:week|weekend|once|time|morning|afternoon|evening|monday|tuesday",
    "wednesday|thursday|friday|saturday|sunday|summer|christmas)|next week|for once|just for",
    "for the day|on christmas(?: eve| day)?|new year's eve|easter|during|while|holiday",
    "except(?:ionally)?|exception",
    "one[- ]off|temporarily|until (?:monday|friday|then|further notice)",
    "heute|morgen|diese[nrs]? (?:woche|wochenende|mal|montag|dienstag|mittwoch|donnerstag|freitag)",
    "nächste woche|ausnahmsweise|vorübergehend|weihnachten|silvester|ostern|während",
    "hoy|mañana|esta (?:semana|noche|vez|tarde)|este (?:lunes|martes|viernes|sábado|domingo|fin)",
    "navidad|nochebuena|nochevieja|excepcionalmente|mientras|durante",
  ),
  /** It tells of another time, or of a wish. */
  aside: phrases(
    "as a child|before that|formerly|previously|last (?:year|month|week|summer|winter)|years ago",
    "back then",
    "once|in the past|until|would like|would love|want to|wants to|plan(?:s|ning)? to|maybe",
    "perhaps|might",
    "one day|some ?day|dream(?:s)? of|think(?:s|ing)? (?:of|about)|consider(?:s|ing)?|next year",
    "yesterday|could|hope(?:s|d)? to|wish(?:es)?|looking (?:at|into)|discuss(?:ed|ing)?",
    "propos(?:ed|es)",
    "used to|back in|in the (?:nineties|eighties)|als junge|wollte|würde|überlegt|quisiera|quiero",
    "quería|me gustaría|pensando en|früher|vorher|damals|als kind|ehemals",
    "letzte[sn]? (?:jahr|woche|monat)|bis|möchte",
    "vielleicht|eines tages",
    "gestern|antes|de niñ[oa]|anteriormente|hace años|quizás?",
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
    "we agreed on the|saw|received|fell|argued|tried|baked|planted|painted|sang|forgot|felt|danced",
    "(?:was|were) (?:(?:a little|very|so|really|extremely) )?(?:happy|sad|proud|nervous|ashamed|upset",
    "excited|delighted|disappointed|scolded|praised|embarrassed|tired|touched|\\p{L}+ing)|feeling",
    "enjoyed|cheered|participated|attended|gave",
    "listened to|gewann|sahen|stritt|vergaß|bauten|freute|ganó|vimos|discutió|hicieron|lloró",
  ),
} as const satisfies Readonly<Record<string, RegExp>>;

/** A turn of talk, which is about the one before it: thanks, greetings, applause, answers. */
export const TALK = phrases(
  "thanks|thank you|thx|hi|hey|hello|bye|wow|yeah|yep|yup|nope|haha|lol|oh|cool|awesome|congrats",
  "congratulations|glad|sorry to hear|so sorry|no problem|sure thing|sounds (?:good|great|like|fun)",
  "sounds lovely|take care|talk (?:to you )?soon|see you|can't wait|absolutely|exactly|same here",
  "you got this|i hear you|let me know|means (?:a lot|so much)|proud of (?:you|how)|and you|count me in",
  "what about you|danke|vielen dank|hallo|tschüss|bis bald|mach's gut|klar|genau|toll|sag bescheid",
  "gracias|hola|claro|vale|nos vemos|cuídate|qué (?:bien|tal)|me alegro",
);

const ASKING = {
  which:
    "what|when|where|who|whose|which|why|how|wie|was|wann|wo|wer|warum|cómo|qué|cuándo|dónde|cuál",
  is: "is|are|was|were|do|does|did|can|could|should|would|will|has|have|must|may",
  of: "i|you|we|they|he|she|it|there|this|that|these",
  german: "kann|kannst|können|könnten|soll|muss|ist|sind|hat|habe|gibt|komme|setze|kommt",
  spanish: "puedo|puedes|hay|está|es|llega|cambio",
};
/**
 * Whether a sentence without a mark asks. Notes leave out who they are about ("Has a cat"), and tell
 * how to act ("Give me short answers"): these state something.
 */
export const ASKS = new RegExp(
  `^(?:(?:hey|hi|hello|ok|so|and|please|bitte|por favor)[\\s,]+)*(?:${[
    `(?:${ASKING.which})(?:['’]s|\\s+(?:\\p{L}+\\s+)?(?:${ASKING.is}|${ASKING.german}|${ASKING.spanish}))`,
    "how\\s+(?:much|many|long|often|far|old|big)|kannst\\s+du|gibt\\s+es|puedes",
    `(?:${ASKING.is})\\s+(?:${ASKING.of})`,
    "i(?:\\s+(?:need|want|wish|would like)|['’]d like)\\s+to\\s+know|i\\s+was\\s+wondering",
    "ich\\s+möchte\\s+wissen|quiero\\s+saber",
  ].join("|")})(?![\\p{L}\\p{N}])[^.:;!?]*$`,
  "iu",
);

/** It speaks to somebody. */
export const ADDRESSES = phrases(
  "you|your|yours|you're|you've|you'll|u|dir|dich|dein(?:e|en|er|em)?|du|euch|eure?|te|tu|tus|usted",
);

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

/** Words of which one names another scope than the other: both statements hold, each in its own. */
export const SCOPES: readonly (readonly ReadonlySet<string>[])[] = [
  [
    "weekday weekdays werktags laborables",
    "weekend weekends saturdays sundays samstags sonntags fin",
  ],
  ["summer sommer verano", "winter invierno"],
  ["free basic kostenlos gratis", "paid premium pro enterprise"],
  ["morning mornings day früh mañana", "night evening evenings nacht abend noche"],
  ["upper top front oben", "lower bottom back unten"],
  ["left links izquierda", "right rechts derecha"],
  ["staging test", "production prod live"],
  ["mobile app ios", "web desktop android"],
  ["adults adult erwachsene adultos", "children kids child kinder niños students seniors"],
  ["men männer hombres", "women frauen mujeres"],
  ["north nord norte", "south süd sur"],
  ["east ost este", "west oeste"],
  [
    "bathroom badezimmer baño",
    "bedroom schlafzimmer dormitorio",
    "kitchen küche cocina",
    "hall flur",
  ],
  ["brother bruder hermano", "sister schwester hermana"],
  ["mother mutter madre mum mom", "father vater padre dad"],
  ["first erste primer", "second zweite segundo"],
].map((scopes) => scopes.map((scope) => listed(scope)));

/** Verbs whose objects add up: who speaks Dutch may speak Greek, too. */
export const ADDING = listed(
  "speak speaks spoke play plays like likes love loves hate hates enjoy enjoys sell sells know",
  "knows",
  "collect collects read reads interviewed visited won lost beat supports support builds",
  "spricht sprechen spreche spielt spiele mag liebt liebe verkauft verkaufen kennt sammelt sammle",
  "habla hablo hablan juega juego toca toco vende vendemos gusta gustan encanta sabe colecciona",
);

/**
 * Attributes that a statement may tell, by the words that tell them or that they have changed: who
 * moved lives elsewhere, and who leads a team is its boss.
 */
export const FIELDS: readonly ReadonlySet<string>[] = [
  `live lives living lived reside resides home house flat apartment address moved relocated move
  settled based wohne wohnt wohnen wohnung lebe lebt leben adresse umgezogen gezogen zog ziehe zieht
  vivo vive vivimos viven casa piso dirección mudado mudó mudé mudamos`,
  `office offices desk room seat building floor headquarters moved büro raum zimmer oficina sala`,
  `work works working worked job employed employer company profession joined hired started quit left
  position role trained promoted arbeite arbeitet arbeiten arbeitgeber beruf stelle firma angefangen
  gekündigt trabajo trabaja trabajamos empresa empleo empecé empezó`,
  `bank banks banking account accounts konto hausbank girokonto banco cuenta`,
  `boss manager supervisor head lead leads leader led runs manages heads reports report charge owner
  owns responsible chair chairs director took takes chef chefin vorgesetzter leitet leitung
  verantwortlich jefe jefa dirige lidera`,
  `doctor dentist gp physician therapist vet paediatrician pediatrician practice patient arzt ärztin
  hausarzt zahnarzt zahnärztin tierarzt praxis médico médica dentista`,
  `school class kindergarten university college studies study student course major grade teacher
  teaches schule klasse studiert studiere studium lehrerin lehrer escuela colegio universidad
  estudia estudio`,
  `car drive drives driving vehicle van truck auto wagen fahre fährt coche conduzco`,
  `bike bicycle cycle cycles bus train tram commute commutes walk drive rad fahrrad bahn arbeitsweg
  bici`,
  `phone mobile cell handy number telefon telefonnummer nummer teléfono móvil número`,
  `email mail address inbox contact reached reach correo`,
  `rent pay pays paid landlord lease tenant miete vermieter alquiler`,
  `price costs cost fee charge charges charged rate pay pays paid tariff raised lowered doubled
  halved rose fell preis kostet kosten gebühr gestiegen gesunken precio cuesta subido bajado`,
  `meeting meetings standup daily weekly sync call retro retrospective starts begins meet
  meets held appointment besprechung treffen termin beginnt reunión cita empieza`,
  `gym run running train workout yoga swim swimming jog jogging laufe trainiere corro`,
  `eat eats diet vegetarian vegan meat fish food meals esse isst vegetarier vegetarierin veganer
  fleisch come vegetariano vegetariana vegano carne`,
  `drink drinks coffee tea milk beer wine alcohol trinke trinkt kaffee tee bebo bebe café té`,
  `smoke smokes smoking cigarettes rauche raucht fumo fuma`,
  `deploy deploys deployed deployment release released releases ship ships shipped rollout`,
  `database db store stores stored storage persist persisted postgres mysql sqlite datenbank
  datos`,
  `host hosted hosting server servers runs run cloud cluster region machine deployed läuft`,
  `version upgraded runs run updated pinned release`,
  `language framework library written rewritten ported build built bundler uses use used using
  switched migrated replaced benutzen nutzen verwenden umgestellt usamos cambiamos`,
  `deadline due date launch launches release slipped delayed postponed abgabe frist fecha plazo`,
  `limit max maximum cap quota allowed grenze limit höchstens límite máximo`,
  `return returns refund refunds exchange exchanges warranty guarantee rückgabe garantie devolución
  devoluciones garantía`,
  `open opens opened hours close closes closed shop geöffnet öffnet schließt öffnungszeiten abre
  cierra horario`,
  `dating single married engaged girlfriend boyfriend wife husband partner divorced broke split
  verheiratet verlobt freundin freund geschieden getrennt casado casada novia novio`,
  `name called named renamed rebranded known heißt umbenannt llama llamaba llamar`,
  `insurance insured insurer versicherung versichert krankenkasse seguro`,
  `provider carrier internet contract plan subscription subscribed anbieter vertrag abo proveedor`,
  `favourite favorite prefer prefers preferred like likes love loves lieblings mag gern bevorzuge
  favorito favorita prefiero`,
  `medicine medication tablets tablet dose pill pills mg takes take allergic allergy allergies
  medikament tabletten allergisch pastillas alérgico alérgica`,
  `password passcode pin code key token secret passwort kennwort contraseña clave`,
  `plan plans planned planning trip travel travels flight fly holiday going urlaub reise viaje`,
  `size weighs weight weigh tall height wear wears größe gewicht wiege talla peso`,
  `branch merge merges squash commits commit review reviews approval approvals approve`,
  `tests test testing ci pipeline runner checks`,
  `timeout timeouts retries retry interval seconds minutes`,
  `team group department squad abteilung equipo departamento`,
  `dog cat pet hund katze haustier perro gato mascota`,
].map((line) => listed(line));
