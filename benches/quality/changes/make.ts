// Makes the labelled pairs of benches/quality/changes from sentence frames: `node make.ts` writes
// a.json, b.json and plain.json beside the frames. A frame is written by hand; its slots, such as
// `$P` for a person, are filled from lists. The same frames give the same bytes.

import { readFileSync, writeFileSync } from "node:fs";

const words = (text: string) => text.split(",");
/** Fillers by slot. `$P2` differs from `$P`. A slot ends before a brace or a non-letter. */
const SLOTS: Readonly<Record<string, readonly string[]>> = {
  P: words("Mira,Tomas,Ines,Omar,Priya,Lukas,Hana,Diego,Svetlana,Noor,Felix,Aiko,Bram,Yara,Kofi"),
  F: words(
    "Sara Lindqvist,Tom Okafor,Irene Castell,Paul Wegner,Mei Tanaka,Ivan Petrov,Julia Brandt,Ali Rahman",
  ),
  C: words("Porto,Lisbon,Bergen,Graz,Leeds,Turin,Ghent,Utrecht,Kyoto,Denver,Malmö,Valencia"),
  K: words("Norway,Portugal,Chile,Kenya,Japan,Belgium,Canada,Estonia"),
  D: words("Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday"),
  M: words("January,February,March,April,May,June,July,September,October,November"),
  T: words("7:30,8:15,9:00,9:45,10:30,13:00,14:15,16:00,18:30,19:45"),
  S: words("skerry,atlas,harbor,pelican,quartz,juniper,falcon,lumen,marlin,cobalt"),
  O: words("Acme,Nordwind,Bluefin,Castor,Helix Labs,Tessera,Orbit Foods,Marbach,Kestrel,Solvay"),
  J: words("nurse,teacher,carpenter,data analyst,pilot,baker,translator,plumber,chemist,paramedic"),
  A: words("green,red,navy blue,yellow,teal,black,orange,purple,white,grey"),
  I: words("walnuts,sushi,lentil soup,cheese,mango,pasta,mushrooms,salmon,olives,rice"),
  U: words("Jira,Linear,Slack,Trello,Notion,Asana,Mattermost,Jenkins,GitLab,Obsidian"),
  G: words("tennis,chess,badminton,football,squash,golf,climbing,rowing,hockey,judo"),
  IN: words("violin,cello,piano,flute,guitar,trumpet,drums,harp"),
  B: words("espresso,filter,green tea,cocoa,cappuccino,mint tea,decaf,oolong"),
  R: words("Luigi's,the Blue Door,Café Mond,Taverna Nikos,the Old Mill,Sakura,Bistro Nine"),
  E: words("kitchen,budget,onboarding,garden,billing,wedding,mobile,festival"),
  Q: words("Biscuit,Luna,Momo,Pepper,Otis,Nala,Rufus,Coco"),
  X: words("Baker,Moser,Lind,Harrow,Castro,Novak,Weber,Silva,Hale,Ortega"),
  Z: words("volcanoes,tax law,jazz,beekeeping,robotics,medieval art,nutrition,sailing,optics"),
  W: words("Falke,Zebra,Merlin,Quill,Tundra,Vega,Onyx,Pluto"),
  DB: words("MySQL,SQLite,Postgres,MongoDB,Redis,DuckDB"),
  CAR: words("Volvo,Skoda,Toyota,Tesla,Fiat,Peugeot,Mazda,Opel"),
  FW: words("Vue,React,Svelte,Angular,Ember,Elm"),
  LG: words("Rust,Go,Kotlin,Python,Elixir"),
  LA: words("Spanish,Norwegian,Japanese,Polish,Greek,Swahili,Dutch,Turkish"),
  POS: words("goalkeeper,striker,shortstop,quarterback,centre,defender"),
  CO: words("BTC,ETH,SOL,AVAX,LINK"),
  L: words(
    "under the mat,in the desk drawer,in the blue box,behind the shed,at Mum's house,in the safe",
  ),
  LD: words("unter der Matte,in der Schublade,hinter dem Haus,im Keller,bei Oma"),
  V: words("1.4,2.0,2.7,3.1,3.9,4.2,5.0,6.3"),
  DD: words("Montag,Dienstag,Mittwoch,Donnerstag,Freitag,Samstag"),
  MD: words("Januar,Februar,März,April,Juni,August,Oktober"),
  JD: words("Lehrer,Bäcker,Arzt,Tischler,Pilot,Koch"),
  DS: words("lunes,martes,miércoles,jueves,viernes,sábado"),
  MS: words("enero,marzo,abril,junio,octubre,noviembre"),
  ID: words("Nüsse,Sushi,Linsensuppe,Käse,Mango,Nudeln,Pilze,Lachs"),
  ZD: words("Vulkane,Steuern,Jazz,Bienen,Roboter,Segeln"),
  GD: words("Tennis,Schach,Fußball,Handball,Golf,Geige"),
  LAD: words("Spanisch,Japanisch,Polnisch,Türkisch"),
  IS: words("nueces,sushi,lentejas,queso,mango,pasta,setas,salmón"),
  GS: words("tenis,ajedrez,fútbol,baloncesto,golf"),
  LAS: words("noruego,japonés,polaco,griego"),
  AS: words("verde,rojo,azul,amarillo,negro"),
};
/** The share of frames that no weight is fitted on, by a hash of the frame. */
const HELD = 1 / 3;
/** The pairs of each frame. */
const OF_FRAME = { a: 3, b: 3, c: 3, plain: 4 };

for (const [name, times] of Object.entries(OF_FRAME)) {
  let [replaces, language] = [false, ""];
  const pairs: string[] = [];
  for (const line of readFileSync(new URL(`${name}.frames`, import.meta.url), "utf8").split("\n")) {
    const head = /^\[(replaces|stands) (\w+)\]$/.exec(line);
    if (head !== null) [replaces, language] = [head[1] === "replaces", head[2]!];
    const frame = /^(\w+): (.+) => (.+)$/.exec(line);
    if (frame === null) continue;
    const [, kind, before, after] = frame;
    const held = random(line)() < HELD;
    for (let time = 0; time < times; time++) {
      const fill = filler(`${line} ${time}`);
      const [older, newer] = [fill(before!), fill(after!)];
      const pair = JSON.stringify({ older, newer, kind, replaces, language, held });
      if (!pairs.includes(pair)) pairs.push(pair);
    }
  }
  const file = new URL(`${name}.json`, import.meta.url);
  writeFileSync(file, `[\n${pairs.join(",\n")}\n]\n`);
  console.log(`${name}.json: ${pairs.length} pairs`);
}

/** Returns a function that fills slots; a slot has the same filler in both texts. */
function filler(seed: string) {
  const next = random(seed);
  const taken = new Map<string, string>();
  const among = (name: string): string => {
    if (name === "n") return String(2 + Math.floor(next() * 8));
    if (name === "N") return String(11 + Math.floor(next() * 85));
    if (name === "H") return String(101 + Math.floor(next() * 890));
    const all = SLOTS[name];
    if (all === undefined) throw new Error(`there is no slot $${name}`);
    return all[Math.floor(next() * all.length)]!;
  };
  return (text: string): string =>
    text.replace(/\$\{?([A-Z]+(?![a-z])|n)([2-4]?)\}?/g, (_, name: string, number: string) => {
      const key = name + number;
      for (let tries = 0; !taken.has(key) && tries < 1_000; tries++) {
        const value = among(name);
        const used = [...taken].some(([other, its]) => other.startsWith(name) && its === value);
        if (!used) taken.set(key, value);
      }
      return taken.get(key)!;
    });
}

/** Returns numbers in [0, 1) from a text: FNV-1a, then mulberry32. */
function random(text: string): () => number {
  let state = 0x811c9dc5;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0)!, 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
