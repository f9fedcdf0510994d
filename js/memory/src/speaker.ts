// The words by which a text speaks of the one who says it: English, German and Spanish.

const WORDS =
  "i my me mine i'm i've i'd we our us we've we're ich mein meine meinen meinem meiner mich mir " +
  "wir unser unsere unseren unserer uns yo mi mis me mío nos nuestro nuestra nuestros nosotros";

/** The words that name the speaker. */
export const SPEAKER: ReadonlySet<string> = new Set(WORDS.split(" "));
