//! The wire layout: which number of a packed record is which field, and which number stands for
//! which code.
//!
//! This file is the only place that numbers fields. Rust reads it as constants; the build
//! (js/scripts/layout.mjs) reads its text and writes the same constants under the same names to
//! js/engine/src/generated/layout.ts, so the module needs no export for them. That reader knows the
//! two forms below, `record!` and `pub const NAME: type = literal;`, and refuses any other line.
//!
//! `record!` numbers its fields in order. The name of the record is the count of its numbers. A
//! field may take several numbers: `TURN_HINTS: 5` takes five, `PART_LEAD: PIECE` takes as many as
//! the record of this name. Unless a comment says otherwise, a number
//! is an `f64`; instants are milliseconds since 1970, stabilities are days, flags are 0 or 1.

/// Numbers the fields of a record, and gives the record's name to their count.
macro_rules! record {
    ($(#[$about:meta])* $record:ident: $($fields:tt)*) => {
        record! { @0; $(#[$about])* $record; $($fields)* }
    };
    (@$at:expr; $(#[$about:meta])* $record:ident;) => {
        $(#[$about])*
        pub const $record: usize = $at;
    };
    (@$at:expr; $(#[$about:meta])* $record:ident;
        $(#[$doc:meta])* $field:ident, $($rest:tt)*) => {
        $(#[$doc])*
        pub const $field: usize = $at;
        record! { @$at + 1; $(#[$about])* $record; $($rest)* }
    };
    (@$at:expr; $(#[$about:meta])* $record:ident;
        $(#[$doc:meta])* $field:ident: $width:expr, $($rest:tt)*) => {
        $(#[$doc])*
        pub const $field: usize = $at;
        record! { @$at + $width; $(#[$about])* $record; $($rest)* }
    };
}

/// Bytes of scratch that are kept for the next batch. More is given back.
pub const MAX_SCRATCH: usize = 16_777_216;

// Reranking a batch of objects: a header, the candidates, and room for the order. The records of
// the best become results.

record! {
    /// The head of a reranking, before its first candidate.
    HEADER:
    /// The present, an instant.
    HEADER_NOW,
    /// The average count of inbound edges.
    HEADER_AVERAGE,
    /// The weights of the six signals; not read in a ranking by section.
    HEADER_WEIGHTS: 6,
}

record! {
    /// A candidate of a reranking. A value that is not a number crosses as NaN.
    CANDIDATE:
    /// Similarity of meaning, 0 if absent.
    CANDIDATE_SEMANTIC,
    /// BM25 score, 0 if absent.
    CANDIDATE_BM25,
    /// Activation over the graph, 0 if absent.
    CANDIDATE_GRAPH,
    /// Last access, an instant.
    CANDIDATE_LAST_ACCESSED,
    /// Creation, an instant.
    CANDIDATE_CREATED_AT,
    /// Count of accesses.
    CANDIDATE_ACCESS_COUNT,
    /// Count of inbound edges.
    CANDIDATE_INBOUND_EDGES,
    /// Code of its section.
    CANDIDATE_SECTION,
}

record! {
    /// A ranked candidate, in the place of the candidate's record.
    RESULT:
    /// Semantic signal.
    RESULT_SEMANTIC,
    /// Keyword signal.
    RESULT_KEYWORD,
    /// Graph signal.
    RESULT_GRAPH,
    /// Recency signal.
    RESULT_RECENCY,
    /// Authority signal.
    RESULT_AUTHORITY,
    /// Affinity signal.
    RESULT_AFFINITY,
    /// The score.
    RESULT_SCORE,
    /// Place of the signal that contributes most.
    RESULT_PRIMARY,
}

// A resident memory: batches of nodes and edges.

/// A number that is not given. No field takes −∞.
pub const ABSENT: f64 = f64::NEG_INFINITY;
/// The target of an entry that is new. A row or slot of at least 0 is the target itself.
pub const TARGET_NEW: f64 = -1.0;
/// The target of an entry whose id came before in the batch is this less the place of that entry.
pub const TARGET_EARLIER: f64 = -2.0;
/// A last access of a node that was never accessed.
pub const NEVER: f64 = f64::INFINITY;
/// Replaces a count of components: the node has no embedding, or its embedding is removed.
pub const NO_EMBEDDING: f64 = -1.0;
/// The end of an edge that is not in the index.
pub const NO_END: f64 = -1.0;
/// Code of no subtype.
pub const NO_SUBTYPE: u32 = 0;
/// A row of a node that is not in the index; the slot of an edge that was left out; the code of a
/// name that is not known.
pub const NOBODY: u32 = u32::MAX;

record! {
    /// A node to add or change. Any number but the target may be [`ABSENT`].
    NODE:
    /// Row of the node, [`TARGET_NEW`], or [`TARGET_EARLIER`] less a place.
    NODE_TARGET,
    /// Place in the order of nodes.
    NODE_SEQUENCE,
    /// Creation, an instant.
    NODE_CREATED_AT,
    /// Last access, an instant or [`NEVER`].
    NODE_LAST_ACCESSED,
    /// Count of accesses.
    NODE_ACCESS_COUNT,
    /// Stability in days.
    NODE_STABILITY,
    /// Retrievability in [0, 1].
    NODE_RETRIEVABILITY,
    /// Difficulty in [0, 1].
    NODE_DIFFICULTY,
    /// Salience in [0, 1].
    NODE_SALIENCE,
    /// Code of its stored lifecycle state.
    NODE_STATE,
    /// Code of its type.
    NODE_TYPE,
    /// Code of its subtype.
    NODE_SUBTYPE,
    /// Count of its tags, whose codes stand in the rows.
    NODE_TAGS,
    /// Count of its clusters, whose codes follow those of its tags.
    NODE_CLUSTERS,
    /// Count of its embedding's components, which follow the records, or [`NO_EMBEDDING`].
    NODE_COMPONENTS,
    /// Bytes of its title, or [`ABSENT`]. The titles and texts of all nodes stand in the bytes,
    /// those of one node after each other.
    NODE_TITLE,
    /// Bytes of its text, or [`ABSENT`].
    NODE_TEXT,
    /// The instant of the event that its text tells of, or [`ABSENT`].
    NODE_EVENT_TIME,
    /// Milliseconds before UTC of the clock by which its day is told.
    NODE_UTC_OFFSET,
}

record! {
    /// An edge to add or change. Type, strength and sequence may be [`ABSENT`].
    EDGE:
    /// Slot of the edge, [`TARGET_NEW`], or [`TARGET_EARLIER`] less a place.
    EDGE_TARGET,
    /// Row of the node that it leads from; [`NO_END`] if either end is not in the index.
    EDGE_FROM,
    /// Row of the node that it leads to, or [`NO_END`].
    EDGE_TO,
    /// Code of its type.
    EDGE_TYPE,
    /// Strength in [0, 1].
    EDGE_STRENGTH,
    /// Place in the order of edges.
    EDGE_SEQUENCE,
}

record! {
    /// A node as it is stored. The rows hold its labels, after those of the nodes before it: twice
    /// the code of a tag, one more than twice the code of a cluster.
    STORED_NODE:
    /// Place in the order of nodes.
    STORED_NODE_SEQUENCE,
    /// Creation, an instant.
    STORED_NODE_CREATED_AT,
    /// Last access, an instant.
    STORED_NODE_LAST_ACCESSED,
    /// Count of accesses.
    STORED_NODE_ACCESS_COUNT,
    /// Count of inbound edges.
    STORED_NODE_INBOUND_EDGES,
    /// Stability in days.
    STORED_NODE_STABILITY,
    /// Retrievability in [0, 1].
    STORED_NODE_RETRIEVABILITY,
    /// Difficulty in [0, 1].
    STORED_NODE_DIFFICULTY,
    /// Salience in [0, 1]; NaN if the configuration stores none.
    STORED_NODE_SALIENCE,
    /// Code of its stored lifecycle state.
    STORED_NODE_STATE,
    /// Code of its type.
    STORED_NODE_TYPE,
    /// Code of its subtype, or [`NO_SUBTYPE`].
    STORED_NODE_SUBTYPE,
    /// Flag: it has an embedding.
    STORED_NODE_HAS_EMBEDDING,
    /// Count of its labels.
    STORED_NODE_LABELS,
}

record! {
    /// An edge as it is stored.
    STORED_EDGE:
    /// Row of the node that it leads from.
    STORED_EDGE_FROM,
    /// Row of the node that it leads to.
    STORED_EDGE_TO,
    /// Code of its type.
    STORED_EDGE_TYPE,
    /// Strength in [0, 1].
    STORED_EDGE_STRENGTH,
    /// Place in the order of edges.
    STORED_EDGE_SEQUENCE,
}

record! {
    /// Bytes that an index uses, and bytes that it has allocated for the same.
    USED:
    /// Bytes of nodes.
    USED_NODES,
    /// Allocated bytes of nodes.
    USED_NODES_CAPACITY,
    /// Bytes of edges.
    USED_EDGES,
    /// Allocated bytes of edges.
    USED_EDGES_CAPACITY,
    /// Bytes of embeddings.
    USED_EMBEDDINGS,
    /// Allocated bytes of embeddings.
    USED_EMBEDDINGS_CAPACITY,
    /// Allocated bytes of texts.
    USED_TEXTS,
}

/// Kind of a name: type of a node.
pub const NAME_TYPE: usize = 0;
/// Kind of a name: subtype of a node.
pub const NAME_SUBTYPE: usize = 1;
/// Kind of a name: type of an edge.
pub const NAME_EDGE_TYPE: usize = 2;
/// Kind of a name: tag.
pub const NAME_TAG: usize = 3;
/// Kind of a name: cluster.
pub const NAME_CLUSTER: usize = 4;

record! {
    /// A transition that a sweep proposes, as whole numbers.
    TRANSITION:
    /// Row of the node.
    TRANSITION_ROW,
    /// Code of the stored state before.
    TRANSITION_FROM,
    /// Code of the state after.
    TRANSITION_TO,
    /// Code of the node's subtype, or [`NO_SUBTYPE`].
    TRANSITION_SUBTYPE,
}

// A resident memory: rankings and searches.

record! {
    /// The columns of scores of a ranking of nodes, one after the other, each as long as the batch.
    COLUMNS:
    /// Similarities of meaning.
    COLUMNS_SEMANTIC,
    /// BM25 scores.
    COLUMNS_BM25,
    /// Activations over the graph.
    COLUMNS_GRAPH,
}

/// No finds beside the ranking.
pub const SERENDIPITY_OFF: u8 = 0;
/// Few finds.
pub const SERENDIPITY_LOW: u8 = 1;
/// Some finds.
pub const SERENDIPITY_MEDIUM: u8 = 2;
/// Many finds.
pub const SERENDIPITY_HIGH: u8 = 3;

record! {
    /// The head of a search. The scores of its hits follow, then the components of its embedding.
    SEARCH:
    /// The present, an instant.
    SEARCH_NOW,
    /// Milliseconds before UTC of the clock by which days of a question are told, or [`ABSENT`] if its
    /// times are not understood.
    SEARCH_UTC_OFFSET,
    /// Most results, or [`ABSENT`].
    SEARCH_LIMIT,
    /// Flag: each node is weighed by its section.
    SEARCH_SECTIONS,
    /// Flag: the answer holds the edges between the results.
    SEARCH_CONNECTIONS,
    /// Code of the level of serendipity.
    SEARCH_SERENDIPITY,
    /// Filter: the earliest creation, an instant or [`ABSENT`].
    SEARCH_CREATED_AFTER,
    /// Filter: the latest creation, an instant or [`ABSENT`].
    SEARCH_CREATED_BEFORE,
    /// Filter: days since the last access, or [`ABSENT`].
    SEARCH_ACCESSED_WITHIN_DAYS,
    /// Count of the embedding's components, or [`NO_EMBEDDING`].
    SEARCH_COMPONENTS,
    /// The mean of its model's cosines of unrelated texts, or [`ABSENT`] for the scale that weights are
    /// fitted with.
    SEARCH_OF_UNRELATED,
    /// The mean of those of related texts.
    SEARCH_OF_RELATED,
    /// Most seeds, or [`ABSENT`].
    SEARCH_MAX_SEEDS,
    /// Count of hits of a full-text search.
    SEARCH_HITS,
    /// Count of the rows among which a question is answered, or that were shown for it; [`ABSENT`] for
    /// all.
    SEARCH_AMONG,
}

record! {
    /// The lists of a search's filters. The rows begin with the length of each, then hold the
    /// lists, then the rows of the hits, then the rows among which a question is answered.
    FILTERS:
    /// Codes of types.
    FILTERS_TYPES,
    /// Codes of types to leave out.
    FILTERS_EXCLUDED_TYPES,
    /// Codes of subtypes.
    FILTERS_SUBTYPES,
    /// Codes of stored lifecycle states.
    FILTERS_LIFECYCLES,
    /// Codes of clusters.
    FILTERS_CLUSTERS,
    /// Codes of tags, all of which a node must have.
    FILTERS_TAGS_ALL,
    /// Codes of tags, one of which a node must have.
    FILTERS_TAGS_ANY,
    /// Codes of tags that a node must not have.
    FILTERS_TAGS_NONE,
    /// Codes of types of edges to spread over.
    FILTERS_RELATIONSHIP_TYPES,
    /// Rows of nodes to leave out, in ascending order.
    FILTERS_EXCLUDED,
}

record! {
    /// A memory that may answer a question. The values of its evidence follow, then the next
    /// answer.
    ANSWER:
    /// Row of the memory.
    ANSWER_ROW,
    /// The probability that it answers.
    ANSWER_SCORE,
    /// The weighted sum of its evidence.
    ANSWER_SUM,
    /// Row of the memory that supersedes it, or [`NO_END`].
    ANSWER_SUPERSEDED_BY,
    /// Row of the memory that seems to replace it, or [`NO_END`].
    ANSWER_REPLACED_BY,
    /// The probability of that.
    ANSWER_REPLACED_BY_PROBABILITY,
    /// Row of the memory that it seems to replace, or [`NO_END`].
    ANSWER_REPLACES,
    /// The probability of that.
    ANSWER_REPLACES_PROBABILITY,
    /// Row of a memory before it that it is like, or [`NO_END`]: it was moved.
    ANSWER_SIMILAR_TO,
}

/// Spreading ended: a round passed nothing on.
pub const ENDED_NO_SPREAD: u8 = 0;
/// Spreading ended: as many nodes as allowed were active.
pub const ENDED_MAX_NODES: u8 = 1;
/// Spreading ended: the last round allowed was over.
pub const ENDED_MAX_HOPS: u8 = 2;

record! {
    /// The outcome of a search. The ranking follows, then the finds of serendipity; the rows hold
    /// the slots of connections.
    OUTCOME:
    /// Count of seeds.
    OUTCOME_SEEDS,
    /// Count of nodes that spreading reached.
    OUTCOME_ACTIVATED,
    /// Count of nodes that the filters and the relevance floor kept.
    OUTCOME_KEPT,
    /// Count of ranked nodes.
    OUTCOME_RANKED,
    /// Count of finds.
    OUTCOME_FINDS,
    /// Count of connections.
    OUTCOME_CONNECTIONS,
    /// Count of rounds of spreading.
    OUTCOME_HOPS,
    /// Count of edges that spreading passed.
    OUTCOME_EDGES_TRAVERSED,
    /// Code of why spreading ended.
    OUTCOME_ENDED,
}

record! {
    /// A find of serendipity.
    FIND:
    /// Row of the node.
    FIND_ROW,
    /// Its activation.
    FIND_ACTIVATION,
}

record! {
    /// The signals of a ranked node. A ranking is the rows of all its nodes, then their scores,
    /// then these of each.
    SIGNALS:
    /// Semantic signal.
    SIGNALS_SEMANTIC,
    /// Keyword signal.
    SIGNALS_KEYWORD,
    /// Graph signal.
    SIGNALS_GRAPH,
    /// Recency signal.
    SIGNALS_RECENCY,
    /// Authority signal.
    SIGNALS_AUTHORITY,
    /// Affinity signal.
    SIGNALS_AFFINITY,
    /// Place of the signal that contributes most.
    SIGNALS_PRIMARY,
}

// A full-text index.

record! {
    /// A document, as whole numbers among the rows. Its texts stand in the bytes, one after the
    /// other.
    DOCUMENT:
    /// Row of the document that it replaces, or [`NOBODY`].
    DOCUMENT_ROW,
    /// Length of its title in bytes.
    DOCUMENT_TITLE,
    /// Length of its summary in bytes.
    DOCUMENT_SUMMARY,
    /// Length of its body in bytes.
    DOCUMENT_BODY,
}

// Snapshots.

/// Bytes of the header of a snapshot's part.
pub const PART_HEADER: usize = 32;

// Questions. Places in a text cross in UTF-16 units.

/// Replaces a rank or an end: nothing was found.
pub const NOTHING: f64 = -1.0;

/// A piece that is missing.
pub const PIECE_NONE: u32 = 0;
/// A piece of the text, between two ends.
pub const PIECE_TEXT: u32 = 1;
/// An attribute word, by its place among all.
pub const PIECE_ATTRIBUTE: u32 = 2;
/// A known symbol, by its place among all.
pub const PIECE_SYMBOL: u32 = 3;

record! {
    /// A piece of an answer, as whole numbers.
    PIECE:
    /// Its kind.
    PIECE_KIND,
    /// Where it begins, or its place in the list of its kind.
    PIECE_START,
    /// Where it ends.
    PIECE_END,
}

record! {
    /// A part of a question, as whole numbers.
    PART:
    /// The piece that comes first; it may be missing.
    PART_LEAD: PIECE,
    /// The piece that follows.
    PART_REST: PIECE,
}

record! {
    /// A classification of a question.
    CLASSIFIED:
    /// Rank of the pattern that disqualifies it, or [`NOTHING`].
    CLASSIFIED_PATTERN,
    /// Code of its type.
    CLASSIFIED_TYPE,
    /// Confidence in the type, in [0, 1].
    CLASSIFIED_CONFIDENCE,
    /// Where the entity begins, or [`NOTHING`].
    CLASSIFIED_ENTITY_START,
    /// Where the entity ends.
    CLASSIFIED_ENTITY_END,
    /// The attribute, a piece.
    CLASSIFIED_ATTRIBUTE: PIECE,
}

record! {
    /// The numbers that `understand` writes. It returns parts and terms.
    UNDERSTOOD:
    /// The classification.
    UNDERSTOOD_CLASSIFIED: CLASSIFIED,
    /// The sections that the question asks for, a bit each by section code.
    UNDERSTOOD_INTENTS,
}

record! {
    /// A stretch of a text.
    SPAN:
    /// Where it begins.
    SPAN_START,
    /// Where it ends.
    SPAN_END,
}

record! {
    /// An expression of time.
    TIME:
    /// Its place in the text.
    TIME_SPAN: SPAN,
    /// The first instant of its range.
    TIME_START,
    /// The instant after its range.
    TIME_END,
    /// Code of its unit.
    TIME_GRAIN,
}

/// A question that stays as it is.
pub const REFORMULATED_NOT: u8 = 0;
/// A question that becomes a part of its text.
pub const REFORMULATED_TEXT: u8 = 1;
/// A question that becomes its entity.
pub const REFORMULATED_ENTITY: u8 = 2;

record! {
    /// The confidence in the results of a retrieval.
    CONFIDENCE:
    /// The score in [0, 1].
    CONFIDENCE_SCORE,
    /// Code of its level.
    CONFIDENCE_LEVEL,
    /// Match quality in [0, 1].
    CONFIDENCE_QUALITY,
    /// Distinctness in [0, 1].
    CONFIDENCE_DISTINCTNESS,
    /// Clarity in [0, 1].
    CONFIDENCE_CLARITY,
    /// Flags, a bit each.
    CONFIDENCE_FLAGS,
}

/// Replaces a count of results of a title's search: there is no title.
pub const SEARCHED_NO_TITLE: f64 = -1.0;
/// The title was not searched for yet.
pub const SEARCHED_NOT_YET: f64 = -2.0;
/// The search for the title failed.
pub const SEARCHED_FAILED: f64 = -3.0;

/// Fate of a weak result: it is kept. A fate of at least 0 is the place of its replacement.
pub const FATE_KEPT: f64 = -1.0;
/// It is dropped: nothing better was found.
pub const FATE_NOTHING_BETTER: f64 = -2.0;
/// It is dropped: it has no title.
pub const FATE_NO_TITLE: f64 = -3.0;
/// It is dropped: the budget is used up.
pub const FATE_BUDGET: f64 = -4.0;
/// Its title is to be searched for.
pub const FATE_TO_SEARCH: f64 = -5.0;
/// It depends on others that are still searched for.
pub const FATE_UNDECIDED: f64 = -6.0;

// Merging.

/// Replaces a code: the row has no id.
pub const NO_ID: f64 = -1.0;

record! {
    /// A row that merging selected.
    SELECTED:
    /// Place of its group.
    SELECTED_GROUP,
    /// Its place in the group.
    SELECTED_ROW,
    /// Its score after merging.
    SELECTED_SCORE,
    /// Flag: its section's boost was added.
    SELECTED_BOOSTED,
}

record! {
    /// Two memories that were recalled together, as places in the selection.
    PAIR:
    /// The first.
    PAIR_ONE,
    /// The second.
    PAIR_OTHER,
}

// Turns of conversation. Places in a text cross in UTF-16 units.

record! {
    /// The signals of a turn.
    TURN:
    /// The start of the text that is classified.
    TURN_INPUT,
    /// How much the turn asks for something recent, in [0, 1].
    TURN_RECENCY,
    /// Flag: it is a question.
    TURN_IS_QUESTION,
    /// Flag: it is a greeting.
    TURN_IS_GREETING,
    /// Flag: it acknowledges.
    TURN_IS_ACKNOWLEDGEMENT,
    /// Flag: it asks for a recapitulation.
    TURN_IS_RECAP,
    /// How much it asks for each memory type.
    TURN_HINTS: 5,
    /// Count of keywords.
    TURN_KEYWORD_COUNT,
    /// Count of entities.
    TURN_ENTITY_COUNT,
    /// The spans of up to ten keywords.
    TURN_KEYWORDS: 20,
    /// The spans of up to ten entities.
    TURN_ENTITIES: 20,
}

/// Replaces a limit or a budget: there is none.
pub const PLAN_NONE: f64 = -1.0;
/// Replaces a limit: nothing of the type is retrieved.
pub const PLAN_SKIPPED: f64 = -2.0;

record! {
    /// A retrieval plan.
    PLAN:
    /// Flag: the query is the keywords, not the input.
    PLAN_BY_KEYWORDS,
    /// The limit of each memory type, or [`PLAN_NONE`], or [`PLAN_SKIPPED`].
    PLAN_LIMITS: 5,
    /// The budget of each memory type in tokens, or [`PLAN_NONE`].
    PLAN_BUDGETS: 5,
}

record! {
    /// A turn, its plan, and whether the turn asks for something recent.
    PLANNED:
    /// The turn.
    PLANNED_TURN: TURN,
    /// The plan.
    PLANNED_PLAN: PLAN,
    /// Flag: the turn asks for something recent.
    PLANNED_IS_RECENT,
}

record! {
    /// The signals of a plan, besides flags.
    TO_PLAN:
    /// How much the turn asks for something recent, in [0, 1].
    TO_PLAN_RECENCY,
    /// How much it asks for each memory type.
    TO_PLAN_HINTS: 5,
}

// Prompts.

/// Replaces a length: the field is missing.
pub const NO_TEXT: f64 = -1.0;

record! {
    /// A row of context lines: the length of each field in bytes, or [`NO_TEXT`].
    LINE:
    /// Subtype.
    LINE_SUBTYPE,
    /// Type.
    LINE_TYPE,
    /// Section.
    LINE_SECTION,
    /// Title.
    LINE_TITLE,
    /// Body.
    LINE_BODY,
    /// Summary.
    LINE_SUMMARY,
    /// Creation.
    LINE_CREATED_AT,
}

record! {
    /// The overlap of a text with others.
    SHARED:
    /// The similarity in [0, 1].
    SHARED_SIMILARITY,
    /// Flag: the similarity reaches the threshold of the call.
    SHARED_IS_ENOUGH,
}

record! {
    /// The usage of a memory.
    USAGE:
    /// The score.
    USAGE_SCORE,
    /// The rate in [0, 1].
    USAGE_RATE,
}

record! {
    /// A section of a written prompt.
    WRITTEN:
    /// Code of the section.
    WRITTEN_SECTION,
    /// Where its content begins, in UTF-16 units.
    WRITTEN_START,
    /// Where its content ends, in UTF-16 units.
    WRITTEN_END,
    /// Its tokens.
    WRITTEN_TOKENS,
}

// Playbooks.

/// Step of a condition: all of the following hold.
pub const STEP_ALL: u32 = 0;
/// Step of a condition: any of the following holds.
pub const STEP_ANY: u32 = 1;
/// Step of a condition: the next does not hold.
pub const STEP_NOT: u32 = 2;
/// Step of a condition: a variable lies between two bounds.
pub const STEP_BETWEEN: u32 = 3;
/// Step of a condition: a variable rises.
pub const STEP_RISING: u32 = 4;
/// Step of a condition: a variable falls.
pub const STEP_FALLING: u32 = 5;
/// Step of a condition: a variable is below a bound.
pub const STEP_BELOW: u32 = 6;
/// Step of a condition: a variable is at most a bound.
pub const STEP_AT_MOST: u32 = 7;
/// Step of a condition: a variable is above a bound.
pub const STEP_ABOVE: u32 = 8;
/// Step of a condition: a variable is at least a bound.
pub const STEP_AT_LEAST: u32 = 9;
/// Step of a condition: a variable equals a number.
pub const STEP_EQUAL: u32 = 10;
/// Step of a condition: a variable differs from a number.
pub const STEP_UNEQUAL: u32 = 11;

/// Replaces a symbol's code: the event has no symbol.
pub const NO_SYMBOL: f64 = -1.0;

record! {
    /// An event.
    EVENT:
    /// Code of its kind.
    EVENT_KIND,
    /// Code of its symbol, or [`NO_SYMBOL`].
    EVENT_SYMBOL,
    /// Its severity in [0, 1].
    EVENT_SEVERITY,
}

record! {
    /// A playbook that an event triggers.
    MATCH:
    /// Row of the playbook.
    MATCH_ROW,
    /// Place of the event.
    MATCH_EVENT,
    /// Success rate in [0, 1].
    MATCH_SUCCESS_RATE,
    /// Relevance.
    MATCH_RELEVANCE,
}

record! {
    /// A variable that a playbook missed.
    MISSING:
    /// Row of the playbook.
    MISSING_ROW,
    /// Code of the variable.
    MISSING_VARIABLE,
}

// Consolidation.

record! {
    /// An episode that may be reviewed.
    EPISODE:
    /// Code of its kind.
    EPISODE_KIND,
    /// Creation, an instant.
    EPISODE_CREATED_AT,
}

record! {
    /// The head of a group to analyse, as whole numbers. The places of its episodes follow.
    GROUP:
    /// Code of its symbol.
    GROUP_SYMBOL,
    /// Count of its episodes.
    GROUP_SIZE,
}
