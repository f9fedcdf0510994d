// The edges by which a memory replaces another one: sure ones and guesses.

/** The type of the edge from a memory to the one that it supersedes. */
export const SUPERSEDES = "supersedes";
/**
 * The type of the edge from a memory to one that it seems to replace. Its strength is the
 * probability. The older memory stays current until the guess is confirmed.
 */
export const LIKELY_SUPERSEDES = "likely_supersedes";

/**
 * The type of the edge from a memory to one that it may replace: the probability is below one half.
 * It marks no line: where both answer a question about as well, the newer one comes first.
 */
const POSSIBLY_SUPERSEDES = "possibly_supersedes";
/**
 * The type of the edge from a memory to one that it replaces with a low probability. It orders and
 * marks nothing: a prompt that shows the older one shows the newer one beside it.
 */
const FAINTLY_SUPERSEDES = "faintly_supersedes";

/** How sure a guess is. A faint one is told nowhere. */
export type GradeOfGuess = "likely" | "possible" | "faint";

const TYPE_OF_GRADE: Readonly<Record<GradeOfGuess, string>> = {
  likely: LIKELY_SUPERSEDES,
  possible: POSSIBLY_SUPERSEDES,
  faint: FAINTLY_SUPERSEDES,
};

/** The types of the edges that are guesses, the surest first. */
export const GUESSES: readonly string[] = Object.values(TYPE_OF_GRADE);

/** Whether an edge is a guess that is told nowhere. */
export const isFaint = ({ type }: Pick<LineEdge, "type">): boolean => type === FAINTLY_SUPERSEDES;

/** Returns the type of the edge of a guess. */
export const typeOfGuess = (grade: GradeOfGuess): string => TYPE_OF_GRADE[grade];

/** An edge of a line of supersession: from the newer memory to the older one. */
export interface LineEdge {
  id: string;
  type?: string | null | undefined;
  source_id: string;
  target_id: string;
}

/**
 * Returns the memories that replace one, by the edges of its line that count: those that supersede it
 * first. What is sure comes before what is a guess.
 */
export function newerIn(line: readonly LineEdge[], id: string): { id: string; isSure: boolean }[] {
  const its = line.filter(({ target_id }) => target_id === id);
  return [SUPERSEDES, LIKELY_SUPERSEDES].flatMap((wanted) =>
    its
      .filter(({ type }) => type === wanted)
      .map(({ source_id }) => ({ id: source_id, isSure: wanted === SUPERSEDES })),
  );
}
