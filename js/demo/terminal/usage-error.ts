// The error of an invalid command line.

/** Thrown for an invalid argument. The message is a sentence for the user. */
export class UsageError extends Error {}
