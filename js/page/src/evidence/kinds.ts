// The kinds of evidence in words, and the groups that the bars show.

/** A group of evidence, with its colour. */
export type Group = "words" | "meaning" | "passage" | "around" | "asked" | "circumstances" | "like";

export const GROUPS: Readonly<Record<Group, string>> = {
  words: "Words of the whole text",
  meaning: "Meaning of the whole text",
  passage: "The best passage",
  around: "What stands around it",
  asked: "What the question asks for",
  circumstances: "Section, recency, use and links",
  like: "Form and place of the text",
};

interface Kind {
  group: Group;
  /** A few words, as the label of a row. */
  label: string;
  /** A sentence about the quantity that it measures. */
  about: string;
}

const kind = (group: Group, label: string, about: string): Kind => ({ group, label, about });

/** The kinds of evidence by their names. */
export const KINDS: Readonly<Record<string, Kind>> = {
  bm: kind("words", "Exact words", "BM25 of the whole text, against the best memory."),
  sbm: kind("words", "Words and neighbours", "BM25 where words of like meaning count, too."),
  sem: kind(
    "meaning",
    "Same subject, whole text",
    "The cosine of question and text, by word vectors.",
  ),
  cov: kind("words", "Share of the question", "How much of the question the text holds."),
  p_soft: kind("passage", "Near words", "How near the words of its best passage are."),
  p_softcov: kind("passage", "Words met", "How many words of the question have a near word."),
  p_sem: kind("passage", "Same subject, passage", "The cosine of question and passage."),
  p_sbm: kind("passage", "Words, weighted", "BM25 of the passage, neighbours included."),
  nb: kind("around", "Said just before or after", "Exact words of the memories next to it."),
  win: kind("around", "Said close by", "What it and its neighbours hold together."),
  ses: kind("around", "Best of its run", "The best memory around it in its conversation or day."),
  sesb: kind("around", "Its run in general", "The three best of the same conversation or day."),
  date: kind("asked", "Of that time", "The question names a time: it happened then."),
  told: kind("asked", "Tells of that time", "The question names a time: the text tells of it."),
  p_temp: kind("asked", "Holds a time", "The question asks when: the passage holds a time."),
  p_numq: kind("asked", "Holds a number", "The question asks how many: there is a number."),
  p_where: kind("asked", "Holds a name", "The question asks where: there is a name."),
  titlecov: kind("words", "In the title", "How much of the question the title holds."),
  graph: kind("circumstances", "Linked to good answers", "Activation that arrives over links."),
  affinity: kind("circumstances", "Often used", "Frequent and recent use."),
  recency_episodic: kind("circumstances", "Recent episode", "How recently it was made."),
  recency_signals: kind("circumstances", "Recent signal", "How recently it was made."),
  recency_knowledge: kind("circumstances", "Recent knowledge", "How recently it was made."),
  recency_procedural: kind("circumstances", "Recent procedure", "How recently it was made."),
  lastrec: kind("asked", "Among the latest", "The question asks for the latest."),
  vaguerec: kind("asked", "Recent", "The question is short: recent memories are meant."),
  intent: kind("circumstances", "The section asked for", "The question asks for its section."),
  section_episodic: kind("circumstances", "An episode", "It belongs to EPISODIC."),
  section_signals: kind("circumstances", "A signal", "It belongs to SIGNALS."),
  section_procedural: kind("circumstances", "A procedure", "It belongs to PROCEDURAL."),
  emb: kind("meaning", "Same meaning", "The cosine of question and text, read as whole sentences."),
  nb_emb: kind("around", "Same meaning next to it", "The cosines of the memories next to it."),
  ses_emb: kind("around", "Same meaning in its run", "The best cosine around it."),
  emb_unheld: kind(
    "meaning",
    "Meaning, as words are missing",
    "The cosine, by how much of the question no memory holds.",
  ),
  emb_rank: kind(
    "meaning",
    "Nearest in meaning, as words fail",
    "Its place by the cosine among all memories, where none holds half of the question.",
  ),
  emb_unlike: kind(
    "meaning",
    "Meaning, as near words are missing",
    "The cosine, by how much of the question no passage comes near.",
  ),
  ses_unheld: kind(
    "around",
    "Meaning of its run, as words are missing",
    "The best cosine around it, by how much of the question no memory holds.",
  ),
  soft_unheld: kind(
    "passage",
    "Near words, as words are missing",
    "How near its words are, by how much of the question no memory holds.",
  ),
  supersession: kind(
    "circumstances",
    "Newer, or replaced",
    "Of two answers of which one replaces the other, the newer one stands first.",
  ),
  qm: kind("like", "Is a question", "Its text ends as a question."),
  prevq: kind("like", "Follows a question", "The memory before it ends as a question."),
  len: kind("like", "Length", "How long its text is."),
  num: kind("like", "Has numbers", "Its text holds a number."),
  cap: kind("like", "Has names", "How many of its words begin with a capital."),
  pos: kind("like", "Place in its run", "From the first memory of its run to the last."),
};
