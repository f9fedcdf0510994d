// What a memory is: its rows, its types, the rules by which texts become memories, the prompt that a
// turn gets, and the rules by which memories are tidied. All exports of the package.

export { SCALE_TEXTS, scaleOf } from "./embedding-scale.ts";
export {
  builtInText,
  embeddingText,
  isReadByTransformer,
  kindInWords,
  TRANSFORMER,
} from "./embedding-text.ts";
export type { EngineYaml } from "./engine-config.ts";
export { type Faded, fadedByTime, fadedNow, fadedOf } from "./faded.ts";
export { type HistoryEdge, type HistoryStep, historyOf } from "./history.ts";
export { EPISODE, isIdle } from "./idle.ts";
export {
  CONSOLIDATION,
  createdAtOf,
  foldedTag,
  isAccessAhead,
  isId,
  isState,
  isWrittenSummary,
  labelOf,
  type MemoryTexts,
  memoryEdgeOf,
  memoryNodeOf,
  namesIn,
  numberOf,
  SUMMARY,
  softNodeOf,
  TYPE_OF_NO_EDGE,
  TYPE_OF_NONE,
  textOf,
  textsOf,
  vectorOf,
  WRITTEN_SUMMARY,
} from "./index-rows.ts";
export { isJsonObject, type JsonObject, jsonObjectIn } from "./json-objects.ts";
export {
  type JudgedAnswer,
  type JudgedMemory,
  KNOWS,
  type Knows,
  knowsOf,
  MAX_JUDGED,
  MIN_PERHAPS,
  probabilityKnown,
  type SignsOfKnowing,
  signsOf,
} from "./knows.ts";
export { isOtherLanguage } from "./language.ts";
export { MAX_NAME, MAX_QUERY, MAX_TEXT, MAX_TITLE } from "./limits.ts";
export { Memory, type MemoryOptions } from "./memory.ts";
export {
  JSON_SOURCES,
  type JsonSource,
  NOTE_FORMATS,
  type NoteFormat,
} from "./moving/source-names.ts";
export { logOdds } from "./odds.ts";
export { BUILT_IN_PRESETS } from "./presets/built-in.ts";
export { type Differing, differing, otherSections, shippedPreset } from "./presets/differing.ts";
export { GENERAL } from "./presets/general.ts";
export {
  CONSOLIDATIONS,
  type Consolidation,
  engineConfigOf,
  FITTED_WEIGHTS,
  type FittedWeights,
  guessedType,
  HEADINGS,
  type Heading,
  type Preset,
  type Presets,
  type PresetType,
  patternsOf,
  STEMMINGS,
  type Stemming,
  typeOf,
} from "./presets/preset.ts";
export { TRADING } from "./presets/trading.ts";
export { markOfEarlier, type NewerMemory, shortDay } from "./prompt/earlier.ts";
export { type IndexedMemory, promptOfTurn } from "./prompt/over-index.ts";
export { countFollowed, countLikely, MAX_BEHIND, type Picking } from "./prompt/picking.ts";
export { PROFILE_CATEGORIES } from "./prompt/profile.ts";
export { DEFAULT_TOKENS, PROFILE_SHARE, RECENT_SHARE } from "./prompt/room.ts";
export {
  CONVERSATIONS,
  isAtHand,
  MAX_CANDIDATES,
  MAX_PROFILE,
  MAX_RECENT,
  RECENT_FOR,
} from "./prompt/selection.ts";
export { cutTo, tokensOf } from "./prompt/tokens.ts";
export {
  buildPrompt,
  type FoundCandidate,
  type Newer,
  type PromptOfTurn,
  type StoredCandidate,
  type Turn,
  type TurnMemories,
} from "./prompt/turn.ts";
export {
  type CandidateRow,
  candidateOf,
  type FixedParts,
  factorOf,
  fixedParts,
  type GivenParts,
  givenLines,
  lineOf,
  type MemoryHeading,
  type Message,
  type NotInPrompt,
  type NotInPromptReason,
  type PromptMemory,
  profileTypes,
  questionOfTurn,
  type TurnPrompt,
  type TurnToPrompt,
  type WrittenSection,
  withoutMarks,
} from "./prompt/turn-prompt.ts";
export {
  meaningInWords,
  type Reasons,
  reasonsOf,
  type Understood,
  understoodOf,
} from "./reasons.ts";
export {
  type Given,
  type RememberedMemory,
  type RememberResult,
  type ReplacedMemory,
  remember,
  type WritableMemory,
} from "./remember.ts";
export { type GradeOfGuess, isFaint, newerIn } from "./replacing-edges.ts";
export { rounded } from "./rounded.ts";
export type {
  EdgeRow,
  EmbeddedTexts,
  IndexedNodeRow,
  NodeRow,
  SoftRow,
  TextRow,
} from "./rows.ts";
export { comparedWords, statementOf } from "./statement.ts";
export { atOnce, BLOCKED, inTurns, isAtOnce, oneStep, type Pause, type Steps } from "./steps.ts";
export {
  type Episode,
  type Group,
  groupsOf,
  withoutCommonWords,
} from "./tidy/groups.ts";
export { sameTexts } from "./tidy/same-texts.ts";
export { type Summary, summaryOf, type Told } from "./tidy/summary.ts";
export { tellingWords } from "./tidy/telling-words.ts";
export {
  futureProblem,
  MAX_AHEAD,
  MAX_JUMP,
  normaliseEvent,
  normaliseTime,
  offsetOf,
  parseInstant,
  parseInstantIn,
  parseLastInstantIn,
  toIso,
  toLocalIso,
} from "./time.ts";
export { type ShownRow, withTexts, wordsOfMemory } from "./words-of-memory.ts";
export { type Correction, correctionIn, looseCorrectionIn } from "./write/corrections.ts";
export { algorithmTypeOf, difficultyOfNew } from "./write/difficulty.ts";
export type { FrontMatter } from "./write/markdown.ts";
export {
  isProviderMessage,
  type MessageToRemember,
  type NotTaken,
  type OtherContent,
  type ProviderMessage,
  type Taken,
  type TurnOfMessage,
  turnsOf,
} from "./write/messages.ts";
export { newRowOf } from "./write/new-row.ts";
export {
  type Prepared,
  prepare,
  type RememberedTexts,
  rememberText,
  storePrepared,
} from "./write/remembering.ts";
export {
  type ComparedStore,
  type Comparing,
  type Comparison,
  comparisonOf,
  type PairOfStatements,
  possiblyReplacedBy,
  type Replaced,
  type ToldReplaced,
  toldAmong,
} from "./write/replaced.ts";
export {
  type ComparedTexts,
  FEATURES,
  type Feature,
  type Features,
  wholeOf,
} from "./write/replacing/features.ts";
export { learnedOffset } from "./write/replacing/learned.ts";
export {
  type ComparedCandidate,
  type ComparedMemory,
  comparedAmong,
  type Grade,
  type GradingOptions,
  gradedPair,
  gradeOf,
  guessesAmong,
  MAX_REPLACED,
  MAX_REPLACED_ANSWERS,
  MIN_LIKELY,
  MIN_POSSIBLE,
  type PairContext,
  probabilityOf,
  type Reading,
  type ReplacedCandidate,
  type ReplacingCandidate,
  type ReplacingWeights,
  readAmong,
  readingsOf,
  replacedAmong,
  replacingCandidates,
  replacingFeatures,
} from "./write/replacing/rule.ts";
export { READING_WEIGHTS, REPLACING_WEIGHTS } from "./write/replacing/weights.ts";
export { type Piece, type SplitText, splitText, titleOf } from "./write/split.ts";
export { stabilityOfNew } from "./write/stability.ts";
export type {
  GivenTexts,
  MergeableFields,
  NewMemory,
  PreparedItem,
  Remembered,
  RememberedText,
  RememberingStore,
  Seen,
  SharedFields,
  SplitItem,
  TextToRemember,
  TurnsWanted,
} from "./write/store.ts";
export {
  edgesOver,
  edgesWithout,
  GUESSES,
  LIKELY_SUPERSEDES,
  type LineEdge,
  SUPERSEDES,
  typeOfGuess,
} from "./write/supersession.ts";
export { shareOfWords } from "./write/support.ts";
