// The schema of the PostgreSQL database. All agents share its tables. Every key begins with the
// agent, so that an agent's rows lie together, and an engine that spreads tables over machines can
// take the agent as its distribution key.

import { StorageError } from "../errors.ts";

/** The texts are compared byte by byte, as SQLite does it. */
const TEXT = `text COLLATE "C"`;

/** The tables of the first schema whose rows belong to an agent. */
const FIRST_TABLES = [
  "agents",
  "meta",
  "nodes",
  "edges",
  "clusters",
  "cluster_memberships",
  "conflict_queue",
  "change_log",
  "embedding_queue",
  "next_embeddings",
  "node_signals",
  "playbook_outcomes",
  "memory_usage",
  "retries",
  "tasks",
  "learned",
  "deleted_versions",
] as const;

/** Tables whose rows belong to an agent. Each has a column `agent`. */
export const TABLES_OF_AGENTS = [...FIRST_TABLES, "snapshots"] as const;

/**
 * Returns the stored time as ISO 8601 in UTC with milliseconds, or null if it cannot be read. Times
 * are written in this form, so that the exception is rare.
 */
const ISO_FUNCTION = `
  CREATE FUNCTION nous.iso_of_any(stored text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET timezone = 'UTC' SET datestyle = 'ISO, YMD' AS $$
  BEGIN
    IF stored !~ '^\\d{4}-\\d\\d-\\d\\d' THEN RETURN NULL; END IF;
    RETURN to_char(stored::timestamptz, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  EXCEPTION WHEN data_exception THEN RETURN NULL;
  END $$;
  CREATE FUNCTION nous.iso(stored text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN stored ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' THEN stored
      ELSE nous.iso_of_any(stored) END COLLATE "C"
  $$;
`;

/**
 * The first schema. The `epoch` of an agent is random: an agent that was deleted and created again
 * has another. `logged` and `tickets` are the last number of its change log, and of its embedding
 * queue. A transaction that writes locks the agent's row first.
 */
const FIRST = `
  ${ISO_FUNCTION}
  CREATE TABLE nous.agents (
    agent ${TEXT} PRIMARY KEY,
    epoch ${TEXT} NOT NULL,
    logged bigint NOT NULL DEFAULT 0,
    tickets bigint NOT NULL DEFAULT 0
  );
  CREATE TABLE nous.meta (
    agent ${TEXT} NOT NULL, key ${TEXT} NOT NULL, value ${TEXT} NOT NULL,
    PRIMARY KEY (agent, key)
  );
  CREATE TABLE nous.nodes (
    agent ${TEXT} NOT NULL,
    sequence bigint NOT NULL,
    id ${TEXT} NOT NULL,
    type ${TEXT}, subtype ${TEXT},
    content_title ${TEXT}, content_summary ${TEXT}, content_body ${TEXT},
    neural_stability double precision, neural_retrievability double precision,
    neural_difficulty double precision, neural_access_count bigint, neural_last_accessed ${TEXT},
    state_lifecycle ${TEXT},
    provenance_source ${TEXT}, provenance_created_at ${TEXT},
    layer ${TEXT}, version bigint, last_modified ${TEXT}, created_at ${TEXT},
    embedding_vector bytea, embedding_model ${TEXT},
    temporal_event_time ${TEXT}, temporal_event_confidence double precision,
    temporal_event_source ${TEXT},
    frame ${TEXT}, censors ${TEXT}, tags ${TEXT}, metadata ${TEXT},
    user_id ${TEXT}, session_id ${TEXT}, expires_at ${TEXT},
    -- What filters compare: the tags, and the metadata, as far as they are JSON.
    tag_names text[] COLLATE "C", facts jsonb,
    PRIMARY KEY (agent, id),
    UNIQUE (agent, sequence)
  );
  CREATE INDEX nodes_newest ON nous.nodes (agent, nous.iso(created_at) DESC, sequence DESC);
  CREATE INDEX nodes_type ON nous.nodes (agent, type);
  CREATE INDEX nodes_subtype ON nous.nodes (agent, subtype);
  CREATE INDEX nodes_user ON nous.nodes (agent, user_id) WHERE user_id IS NOT NULL;
  CREATE INDEX nodes_session ON nous.nodes (agent, session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX nodes_expiry ON nous.nodes (agent, expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE nous.edges (
    agent ${TEXT} NOT NULL, sequence bigint NOT NULL, id ${TEXT} NOT NULL,
    type ${TEXT}, subtype ${TEXT}, source_id ${TEXT}, target_id ${TEXT},
    neural_weight double precision, strength double precision, confidence double precision,
    created_at ${TEXT},
    PRIMARY KEY (agent, id),
    UNIQUE (agent, sequence),
    FOREIGN KEY (agent, source_id) REFERENCES nous.nodes (agent, id) ON DELETE CASCADE DEFERRABLE,
    FOREIGN KEY (agent, target_id) REFERENCES nous.nodes (agent, id) ON DELETE CASCADE DEFERRABLE
  );
  CREATE INDEX edges_source ON nous.edges (agent, source_id);
  CREATE INDEX edges_target ON nous.edges (agent, target_id);
  CREATE INDEX edges_type ON nous.edges (agent, type);
  CREATE TABLE nous.clusters (
    agent ${TEXT} NOT NULL, sequence bigint NOT NULL, id ${TEXT} NOT NULL,
    name ${TEXT}, description ${TEXT}, icon ${TEXT}, pinned bigint, source ${TEXT},
    auto_subtypes ${TEXT}, created_at ${TEXT},
    PRIMARY KEY (agent, id),
    UNIQUE (agent, sequence)
  );
  CREATE TABLE nous.cluster_memberships (
    agent ${TEXT} NOT NULL, sequence bigint NOT NULL,
    cluster_id ${TEXT} NOT NULL, node_id ${TEXT} NOT NULL,
    weight double precision, pinned bigint, updated_at ${TEXT},
    PRIMARY KEY (agent, cluster_id, node_id),
    UNIQUE (agent, sequence)
  );
  CREATE INDEX cluster_memberships_node ON nous.cluster_memberships (agent, node_id);
  CREATE TABLE nous.conflict_queue (
    agent ${TEXT} NOT NULL, sequence bigint NOT NULL, id ${TEXT} NOT NULL,
    old_node_id ${TEXT}, new_node_id ${TEXT}, new_content ${TEXT}, conflict_type ${TEXT},
    detection_tier ${TEXT}, detection_confidence double precision, context ${TEXT},
    entity_name ${TEXT}, topic ${TEXT}, status ${TEXT}, created_at ${TEXT}, expires_at ${TEXT},
    resolution ${TEXT}, resolved_at ${TEXT},
    PRIMARY KEY (agent, id),
    UNIQUE (agent, sequence)
  );
  CREATE INDEX conflict_queue_old ON nous.conflict_queue (agent, old_node_id);
  CREATE INDEX conflict_queue_new ON nous.conflict_queue (agent, new_node_id);
  CREATE TABLE nous.change_log (
    agent ${TEXT} NOT NULL, sequence bigint NOT NULL,
    entity ${TEXT} NOT NULL, id ${TEXT} NOT NULL, writer ${TEXT},
    PRIMARY KEY (agent, sequence)
  );
  CREATE TABLE nous.embedding_queue (
    agent ${TEXT} NOT NULL, node_id ${TEXT} NOT NULL, ticket bigint NOT NULL,
    attempts bigint NOT NULL DEFAULT 0, not_before bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, node_id),
    UNIQUE (agent, ticket)
  );
  CREATE INDEX embedding_queue_order ON nous.embedding_queue (agent, attempts, ticket);
  CREATE TABLE nous.next_embeddings (
    agent ${TEXT} NOT NULL, node_id ${TEXT} NOT NULL, vector bytea NOT NULL,
    PRIMARY KEY (agent, node_id)
  );
  CREATE TABLE nous.node_signals (
    agent ${TEXT} NOT NULL, node_id ${TEXT} NOT NULL, signals ${TEXT} NOT NULL,
    PRIMARY KEY (agent, node_id),
    FOREIGN KEY (agent, node_id) REFERENCES nous.nodes (agent, id) ON DELETE CASCADE
  );
  CREATE TABLE nous.playbook_outcomes (
    agent ${TEXT} NOT NULL, playbook_id ${TEXT} NOT NULL, entry_id ${TEXT} NOT NULL,
    profitable bigint NOT NULL, applied_at ${TEXT} NOT NULL, client_counted bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, playbook_id, entry_id)
  );
  CREATE INDEX playbook_outcomes_entry ON nous.playbook_outcomes (agent, entry_id);
  CREATE TABLE nous.memory_usage (
    agent ${TEXT} NOT NULL, sequence bigint NOT NULL,
    memory_id ${TEXT} NOT NULL, memory_type ${TEXT} NOT NULL, context_id ${TEXT} NOT NULL,
    retrieved_at ${TEXT} NOT NULL, was_referenced bigint NOT NULL,
    overlap_score double precision NOT NULL,
    PRIMARY KEY (agent, context_id, memory_id),
    UNIQUE (agent, sequence),
    FOREIGN KEY (agent, memory_id) REFERENCES nous.nodes (agent, id) ON DELETE CASCADE
  );
  CREATE INDEX memory_usage_memory ON nous.memory_usage (agent, memory_id);
  CREATE TABLE nous.retries (
    agent ${TEXT} NOT NULL, key ${TEXT} NOT NULL, request ${TEXT} NOT NULL, made ${TEXT} NOT NULL,
    created_at ${TEXT} NOT NULL,
    PRIMARY KEY (agent, key)
  );
  CREATE INDEX retries_created_at ON nous.retries (agent, created_at);
  CREATE TABLE nous.tasks (
    agent ${TEXT} NOT NULL, name ${TEXT} NOT NULL, holder ${TEXT}, leased_until bigint NOT NULL,
    last_done bigint,
    PRIMARY KEY (agent, name)
  );
  CREATE TABLE nous.learned (
    agent ${TEXT} PRIMARY KEY, learned ${TEXT} NOT NULL
  );
  CREATE TABLE nous.deleted_versions (
    agent ${TEXT} NOT NULL, id ${TEXT} NOT NULL, sequence bigint NOT NULL, version bigint NOT NULL,
    PRIMARY KEY (agent, id)
  );
  CREATE INDEX deleted_versions_sequence ON nous.deleted_versions (agent, sequence);
  ${FIRST_TABLES.map(walled).join("")}
`;

/**
 * The second wall: a connection sees the rows of the agent that its setting `nous.agent` names,
 * whatever a statement says, and no rows without the setting. The list of agents has a setting of
 * its own. The owner of the tables is held to it, too; a superuser is not.
 */
function walled(table: string): string {
  const own = "agent = current_setting('nous.agent', true)";
  const lists = "current_setting('nous.lists_agents', true) = 'on'";
  return `
  ALTER TABLE nous.${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE nous.${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY of_agent ON nous.${table} USING (${own});
  ${table === "agents" ? `CREATE POLICY of_lists ON nous.agents FOR SELECT USING (${lists});` : ""}`;
}

/**
 * The keys, and whether they are needed. They belong to no agent: a connection sees them only with
 * the setting `nous.uses_keys`, which the statements of agents do not make. `state` is random. It
 * changes with every change of a key, whoever makes it, so that servers need not read all keys to
 * notice one. The restrictions of the columns keep out keys that a server could not read.
 */
const KEYS = `
  CREATE TABLE nous.keys (
    id ${TEXT} PRIMARY KEY CHECK (id ~ '^k_[0-9a-z]{12}$'),
    created_at ${TEXT} NOT NULL,
    -- Null: all agents.
    agents text[] COLLATE "C" CHECK (cardinality(agents) > 0),
    scopes text[] COLLATE "C" NOT NULL
      CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['memory', 'admin']),
    creates_agents boolean NOT NULL,
    sha256 ${TEXT} NOT NULL UNIQUE CHECK (sha256 ~ '^[0-9a-f]{64}$')
  );
  CREATE TABLE nous.key_state (
    is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
    are_needed boolean NOT NULL,
    state uuid NOT NULL
  );
  INSERT INTO nous.key_state (are_needed, state) VALUES (false, gen_random_uuid());
  CREATE FUNCTION nous.note_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE nous.key_state SET state = gen_random_uuid(),
      are_needed = are_needed OR EXISTS (SELECT FROM nous.keys);
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_key_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON nous.keys
    FOR EACH STATEMENT EXECUTE FUNCTION nous.note_key_change();
  ${["keys", "key_state"]
    .map(
      (table) => `
  ALTER TABLE nous.${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE nous.${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY of_keys ON nous.${table}
    USING (current_setting('nous.uses_keys', true) = 'on');`,
    )
    .join("")}
`;

/**
 * Snapshots of indexes, in pieces of some megabytes. They are dense, so that PostgreSQL does not try
 * to compress them.
 */
const SNAPSHOTS = `
  CREATE TABLE nous.snapshots (
    agent ${TEXT} NOT NULL, name ${TEXT} NOT NULL, piece bigint NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (agent, name, piece)
  );
  ALTER TABLE nous.snapshots ALTER COLUMN bytes SET STORAGE EXTERNAL;
  ${walled("snapshots")}`;

/**
 * Names the agent to row-level security, and returns the range of its change log, or no row if its
 * life is over: every request needs both, and this takes one round trip.
 */
const RANGE = `
  CREATE FUNCTION nous.logged_range(named text, life text)
    RETURNS TABLE (first bigint, last bigint) LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('nous.agent', named, false);
    RETURN QUERY
      SELECT coalesce((SELECT min(sequence) FROM nous.change_log WHERE agent = named), 0), logged
      FROM nous.agents WHERE agent = named AND epoch = life;
  END $$;`;

/** The index of the timeline: without it, each page sorts all memories of an agent. */
const TIMELINE = `
  CREATE INDEX nodes_timeline ON nous.nodes
    (agent, coalesce(nous.iso(temporal_event_time), nous.iso(created_at)), sequence);`;

/** What became of memories and edges, and when, so that clients can follow the writes. */
const ACTIONS = `
  ALTER TABLE nous.change_log ADD COLUMN action ${TEXT}, ADD COLUMN at ${TEXT};`;

/**
 * The migration at index n brings a database from schema n to schema n + 1. Never edit one that has
 * been released: add another.
 */
export const MIGRATIONS: readonly string[] = [FIRST, KEYS, SNAPSHOTS, RANGE, TIMELINE, ACTIONS];

/** The schema that this version writes. */
export const SCHEMA: number = MIGRATIONS.length;

/** The table of the schema's number. It belongs to no agent. */
export const SCHEMA_TABLE = `
  CREATE SCHEMA IF NOT EXISTS nous;
  CREATE TABLE IF NOT EXISTS nous.schema_version (version bigint NOT NULL)`;

/** @throws {StorageError} If the schema that a database has is newer than this version's. */
export function checkIsKnown(found: number): void {
  if (found > SCHEMA)
    throw new StorageError(
      `The database has schema ${found}, and this version of nous-server knows schemas up to ${SCHEMA}: use a newer one.`,
    );
}

/** @throws {StorageError} If the schema that a database has is not this version's. */
export function checkIsCurrent(found: number): void {
  checkIsKnown(found);
  if (found < SCHEMA)
    throw new StorageError(
      `The database has schema ${found}, and this version of nous-server writes ${SCHEMA}: start the server once.`,
    );
}
