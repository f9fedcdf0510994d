// The package has no types of its own.
declare module "wink-porter2-stemmer" {
  /** Returns the stem of an English word in lower case, by the Snowball algorithm. */
  export default function stem(word: string): string;
}
