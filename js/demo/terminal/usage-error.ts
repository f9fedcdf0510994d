// The error of a command line that is wrong.

/** The message says what is wrong with an argument, for the person who typed it. */
export class UsageError extends Error {}
