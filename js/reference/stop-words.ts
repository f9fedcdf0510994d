// English words that do not say what a text is about, as the crate has them.

export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can did do does for from had has have he her his how i if " +
    "in into is it its me my no not of on or our she so that the their them then there they this " +
    "to was we were what when where which who why will with would you your"
  ).split(" "),
);
