// Rule: which messages say nothing to remember. The crate knows the greetings and thanks of
// English, and the usual ones of fourteen languages; further ones stand here.

import type { Engine } from "nous-wasm";
import { statementOf } from "./statement.ts";

/** The type of messages. */
export const EPISODE = "episode";

/**
 * Greetings, thanks and agreement that the crate does not know, as `statementOf` writes them,
 * without marks at their ends.
 */
const SAYS_NOTHING: ReadonlySet<string> = new Set(
  [
    // German, Dutch, French, Spanish, Portuguese, Italian, Polish, Turkish, Russian, Arabic,
    // Chinese, Japanese, Korean
    "moin, moin moin, servus, schön, super, prima, klasse, top, tschüss, bis dann, bis bald",
    "danke dir, danke sehr, besten dank, gern geschehen, bitte schön, passt, genau, dank u",
    "dank u wel, merci bien, au revoir, bien sûr, muito obrigada, perfetto, perfeito",
    "perfecto, parfait, dobry wieczór, jasne, rozumiem, günaydın, anladım, ладно",
    "спасибо большое, доброе утро, добрый вечер, صباح الخير, مساء الخير, السلام عليكم, تمام",
    "谢谢您, 早上好, 晚上好, 没问题, 知道了, 是的, 多谢, 多謝, 謝謝你, ありがとうございました, おはよう, おはようございます, こんばんは, 알겠어요",
    "좋아요, 承知しました, goedemiddag, goedenavond, begrepen, compris, capito, entendi, entendido",
    "certo, claro, bueno",
    // Swedish, Danish, Norwegian, Finnish
    "tack, tack så mycket, hej, mange tak, takk, tusen takk, hei, kiitos, kiitoksia, moi",
    // Catalan, Romanian, Czech, Hungarian, Indonesian, Vietnamese
    "gràcies, moltes gràcies, mulțumesc, děkuji, díky, ahoj, dobrý den, köszönöm, szia",
    "terima kasih, halo, cảm ơn, xin chào",
    // Ukrainian, Greek
    "дякую, привіт, ευχαριστώ, ευχαριστώ πολύ, γεια σου, γεια, καλημέρα, εντάξει",
    // Hebrew, Persian, Thai
    "תודה, תודה רבה, שלום, בסדר, ممنون, متشکرم, سلام, ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ, สวัสดี",
  ].flatMap((line) => line.split(", ").map(statementOf)),
);

/** Marks at the end of thanks, and emoji after them. */
const AT_THE_END = /(?:[\s.!,…。、~～〜！]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)+$/u;
/** Characters of the longest text that is looked up here, and of the longest that may say nothing. */
const MAX_IDLE = 60;
const MAX_CLASSIFIED = 500;

/** Whether a text is a greeting, thanks or agreement that the crate does not know. */
export const isOtherIdle = (text: string): boolean =>
  text.length <= MAX_IDLE && SAYS_NOTHING.has(statementOf(text.replace(AT_THE_END, "")));

/** Whether a text says nothing to remember, and asks for nothing: a greeting, thanks, or "ok". */
export function isIdle(
  { engine }: { engine: Pick<Engine, "classifyTurn"> },
  content: string,
): boolean {
  const said = content.trim();
  if (said === "" || isOtherIdle(said)) return true;
  if (said.length > MAX_CLASSIFIED) return false;
  const { is_greeting, is_acknowledgement } = engine.classifyTurn(content);
  return is_greeting || is_acknowledgement;
}
