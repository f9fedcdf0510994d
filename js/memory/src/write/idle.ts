// Rule: which messages say nothing to remember, and which texts ask and tell nothing. The crate knows the
// English greetings and thanks; those of other languages stand here.

import type { Engine } from "nous-wasm";
import { statementOf } from "./duplicates.ts";

/** The type of messages. */
export const EPISODE = "episode";

/** Greetings, thanks and agreement, as `statementOf` writes them, without marks at their ends. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(
  [
    // German, Dutch, Swedish, Danish, Norwegian, Finnish
    "danke, danke schön, danke sehr, vielen dank, besten dank, hallo, guten morgen, guten tag, guten abend",
    "alles klar, verstanden, in ordnung, gern geschehen, bitte schön, tschüss",
    "dank je, dank je wel, dank u, dank u wel, bedankt, goedemorgen, tack, tack så mycket, hej, tak, mange tak",
    "takk, tusen takk, hei, kiitos, kiitoksia, moi",
    // French, Spanish, Portuguese, Italian, Catalan, Romanian
    "merci, merci beaucoup, merci bien, bonjour, bonsoir, salut, d'accord, de rien, au revoir",
    "gracias, muchas gracias, hola, buenos días, buenas tardes, buenas noches, vale, de acuerdo, de nada",
    "obrigado, obrigada, muito obrigado, muito obrigada, olá, bom dia, boa tarde, boa noite, de nada",
    "grazie, grazie mille, ciao, buongiorno, buonasera, va bene, prego, gràcies, moltes gràcies, mulțumesc",
    // Polish, Czech, Hungarian, Turkish, Indonesian, Vietnamese
    "dziękuję, dzięki, cześć, dzień dobry, dobrze, děkuji, díky, ahoj, dobrý den, köszönöm, szia",
    "teşekkürler, teşekkür ederim, sağ ol, merhaba, tamam, terima kasih, halo, cảm ơn, xin chào",
    // Russian, Ukrainian, Greek
    "спасибо, большое спасибо, привет, здравствуйте, хорошо, понятно, пожалуйста, дякую, привіт",
    "ευχαριστώ, ευχαριστώ πολύ, γεια σου, γεια, καλημέρα, εντάξει",
    // Arabic, Hebrew, Persian, Hindi, Thai
    "شكرا, شكراً, شكرا جزيلا, مرحبا, السلام عليكم, حسنا, תודה, תודה רבה, שלום, בסדר",
    "ممنون, متشکرم, سلام, धन्यवाद, शुक्रिया, नमस्ते, ठीक है, ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ, สวัสดี",
    // Chinese, Japanese, Korean
    "谢谢, 谢谢你, 谢谢您, 多谢, 感谢, 謝謝, 謝謝你, 多謝, 感謝, 你好, 您好, 好的, 好, 早上好, 晚上好, 不客气, 明白了",
    "ありがとう, ありがとうございます, ありがとうございました, どうも, こんにちは, おはよう, おはようございます",
    "こんばんは, はい, 了解, 了解です, わかりました, 承知しました",
    "감사합니다, 고맙습니다, 고마워, 고마워요, 안녕, 안녕하세요, 네, 알겠습니다",
  ].flatMap((line) => line.split(", ").map(statementOf)),
);

/** Marks at the end of thanks, and emoji after them. */
const AT_THE_END = /(?:[\s.!,…。、~～〜！]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)+$/u;
/** A longer message says something. */
const MAX_IDLE = 60;

/** Whether a message says nothing to remember: a greeting, thanks, or "ok". */
export function isIdle(
  { engine }: { engine: Pick<Engine, "classifyTurn"> },
  content: string,
): boolean {
  const said = content.trim();
  if (said === "") return true;
  if (said.length <= MAX_IDLE && SAYS_NOTHING.has(statementOf(said.replace(AT_THE_END, ""))))
    return true;
  const { is_greeting, is_acknowledgement } = engine.classifyTurn(content);
  return is_greeting || is_acknowledgement;
}

/** Ends of questions and of other sentences, of any script. `;` asks in Greek, U+037E always. */
const QUESTION = /^[^.!?\n。！？؟՞።፧।]*[?？؟՞፧⁇⁈\u037e]+["”’»」』)\]]*$/u;
const GREEK_QUESTION = /^[^.!?;\n]*\p{Script=Greek}[^.!?;\n]*;$/u;
/** A longer text tells something. */
const MAX_QUESTION = 2_000;

/** Whether a text asks and tells nothing. */
export function isQuestion(text: string): boolean {
  const asked = text.trim();
  return asked.length <= MAX_QUESTION && (QUESTION.test(asked) || GREEK_QUESTION.test(asked));
}

/** Whether what was said ends with a question, whatever stands before. */
export const endsWithQuestion = (text: string): boolean =>
  /[?？؟՞፧⁇⁈\u037e]["”’»」』)\]]*$/u.test(text.slice(-100).trimEnd());
