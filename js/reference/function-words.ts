// Words of German, French and Spanish questions that carry no subject, as the crate has them.

const LANGUAGES: readonly ReadonlySet<string>[] = [
  new Set(
    (
      "aber als am an auf aus bei beim bin bis das dass dein deine dem den der des dich die dir " +
      "du ein eine einem einen einer eines er es euch fur haben habt hat hatte hatten ich ihm " +
      "ihn ihr ihre ihrem ihren ihrer im in ins ist ja kann man mein meine meinem meinen meiner " +
      "mich mir mit nach nicht noch oder sein seine seinem seinen seiner sich sie sind uber um und " +
      "uns unser unsere unserem unseren unserer vom von vor wann war waren warum was wegen " +
      "welche welchem welchen welcher welches wem wen wer werden wie wir wird wo wurde wurden zu " +
      "zum zur"
    ).split(" "),
  ),
  new Set(
    (
      "a au aux avec c ce ces cette comment d dans de des du elle elles en est et etaient etait " +
      "il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on " +
      "ont ou par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa se ses " +
      "son sont sur t ta te tes toi ton tu un une vos votre vous y"
    ).split(" "),
  ),
  new Set(
    (
      "a al como con cual cuales cuando de del donde el ella ellas ellos en era eran es esta " +
      "estan este fue ha han hay la las le les lo los me mi mis no nos nuestra nuestro o para " +
      "pero por porque que quien quienes se ser si sin sobre son su sus te tu tus un una y yo"
    ).split(" "),
  ),
];

/** The fewest function words that say a language. */
const FEWEST = 2;

/**
 * Returns the function words of the language that most words of a question belong to. None for
 * English, of whose function words the question holds `english`.
 */
export function functionWords(words: readonly string[], english: number): ReadonlySet<string> {
  let best: ReadonlySet<string> = new Set();
  let max = Math.max(english, FEWEST - 1);
  for (const language of LANGUAGES) {
    const count = words.filter((word) => word.length > 1 && language.has(word)).length;
    if (count <= max) continue;
    best = language;
    max = count;
  }
  return best;
}
