// The tables of clusters and of their members.

import { joined, type Query, raw, sql } from "../../query.ts";
import type {
  ClusterChanges,
  ClusterRow,
  MembershipRow,
  NewCluster,
  NewMembership,
} from "../../rows.ts";
import type { Page } from "../../sql.ts";
import type { TableOf } from "../../storage.ts";
import { CLUSTER_COLUMNS, type ClusterTable } from "../../tables/clusters.ts";
import type { AgentRows } from "../agent-rows.ts";
import { boundsOf, listOf, nextSequence, readWithin, valuesOf } from "../columns.ts";

const TEXTS_OF_CLUSTER = ["name", "description", "auto_subtypes"];
const CLUSTER = listOf(["sequence", ...CLUSTER_COLUMNS], "clusters");
export const MEMBERSHIP_COLUMNS = ["cluster_id", "node_id", "weight", "pinned", "updated_at"];
const MEMBERSHIP = listOf(["sequence", ...MEMBERSHIP_COLUMNS], "cluster_memberships");
const KEY_OF_MEMBERSHIP = ["cluster_id", "node_id"];

/** The tables of clusters. */
export class PostgresClusters implements TableOf<ClusterTable> {
  readonly #rows: AgentRows;
  readonly #version: () => number;
  readonly #own: Query;
  readonly #ownMembers: Query;
  readonly #isOfMemory: Query;
  /** Clusters that take in memories by themselves, by subtype, as of a version of the database. */
  #taking: { version: number; clusters: Map<string, string[]> } | undefined;

  /** `version` returns a number that changes when another connection commits. */
  constructor(rows: AgentRows, version: () => number) {
    const { agent } = rows;
    this.#rows = rows;
    this.#version = version;
    this.#own = sql`clusters.agent = ${agent}`;
    this.#ownMembers = sql`cluster_memberships.agent = ${agent}`;
    this.#isOfMemory = sql`EXISTS (SELECT 1 FROM nous.nodes
      WHERE nodes.agent = ${agent} AND nodes.id = cluster_memberships.node_id)`;
  }

  insert(cluster: NewCluster): ClusterRow {
    this.#taking = undefined;
    const { agent } = this.#rows;
    return this.#written(sql`
      INSERT INTO nous.clusters (agent, sequence, ${listOf(CLUSTER_COLUMNS)})
      VALUES (${agent}, ${nextSequence("clusters", agent)}, ${valuesOf(CLUSTER_COLUMNS, cluster)})
      RETURNING ${CLUSTER}`)!;
  }

  /** Runs a statement that changes a cluster. Other connections see a new number of the log. */
  #written(query: Query): ClusterRow | undefined {
    return this.#rows.writing(() => {
      const [row] = this.#rows.change<ClusterRow>(query);
      if (row !== undefined) this.#rows.note("clusters", [row.id]);
      return row;
    });
  }

  update(id: string, changes: ClusterChanges): ClusterRow | undefined {
    this.#taking = undefined;
    const given = changes as Readonly<Record<string, unknown>>;
    const sets = CLUSTER_COLUMNS.filter((column) => column in given).map(
      (column) => sql`${raw(column)} = ${given[column] ?? null}`,
    );
    if (sets.length === 0) return this.find(id);
    return this.#written(
      sql`UPDATE nous.clusters SET ${joined(sets, ", ")} WHERE ${this.#own} AND id = ${id}
        RETURNING ${CLUSTER}`,
    );
  }

  delete(id: string): boolean {
    this.#taking = undefined;
    return this.#rows.writing(() => {
      this.#noteMembers(
        sql`DELETE FROM nous.cluster_memberships WHERE ${this.#ownMembers} AND cluster_id = ${id}
          RETURNING node_id`,
      );
      const gone = sql`DELETE FROM nous.clusters WHERE ${this.#own} AND id = ${id}
        RETURNING ${CLUSTER}`;
      return this.#written(gone) !== undefined;
    });
  }

  /** Runs a statement that changes memberships, and notes their memories in the change log. */
  #noteMembers<T extends { node_id: string }>(query: Query): T[] {
    return this.#rows.writing(() => {
      const members = this.#rows.change<T>(query);
      this.#rows.note(
        "node",
        members.map(({ node_id }) => node_id),
      );
      return members;
    });
  }

  find(id: string): ClusterRow | undefined {
    return this.#rows.first(
      sql`SELECT ${CLUSTER} FROM nous.clusters WHERE ${this.#own} AND id = ${id}`,
    );
  }

  list(page: Page = {}): ClusterRow[] {
    const { after, limit } = boundsOf(page);
    const from = sql`FROM nous.clusters WHERE ${this.#own} AND sequence > ${after}
      ORDER BY sequence`;
    return readWithin(
      this.#rows,
      { columns: CLUSTER, texts: TEXTS_OF_CLUSTER, from },
      limit,
      page.room,
    );
  }

  taking(subtype: string): readonly string[] {
    const version = this.#version();
    if (this.#taking?.version !== version)
      this.#taking = { version, clusters: this.#clustersBySubtype() };
    return this.#taking.clusters.get(subtype) ?? [];
  }

  forgetTaking(): void {
    this.#taking = undefined;
  }

  #clustersBySubtype(): Map<string, string[]> {
    const clusters = new Map<string, string[]>();
    const rows = this.#rows.all<{ id: string; auto_subtypes: string }>(sql`
      SELECT id, auto_subtypes FROM nous.clusters
      WHERE ${this.#own} AND auto_subtypes IS NOT NULL ORDER BY sequence`);
    for (const { id, auto_subtypes } of rows) {
      for (const subtype of new Set(namesIn(auto_subtypes)))
        clusters.set(subtype, [...(clusters.get(subtype) ?? []), id]);
    }
    return clusters;
  }

  countMembers(clusterIds: readonly string[]): Map<string, number> {
    const rows = this.#rows.all<{ cluster_id: string; count: number }>(sql`
      SELECT cluster_id, count(*) AS count FROM nous.cluster_memberships
      WHERE ${this.#ownMembers} AND cluster_id = ANY(${clusterIds}::text[]) AND ${this.#isOfMemory}
      GROUP BY cluster_id`);
    return new Map(rows.map(({ cluster_id, count }) => [cluster_id, count]));
  }

  putMember(membership: NewMembership): MembershipRow {
    return this.#noteMembers<MembershipRow>(this.#puttingMember({ ...membership }))[0]!;
  }

  #puttingMember(row: Readonly<Record<string, unknown>>): Query {
    const { agent } = this.#rows;
    const taken = MEMBERSHIP_COLUMNS.filter((column) => !KEY_OF_MEMBERSHIP.includes(column)).map(
      (column) => raw(`${column} = excluded.${column}`),
    );
    return sql`
      INSERT INTO nous.cluster_memberships (agent, sequence, ${listOf(MEMBERSHIP_COLUMNS)})
      VALUES (${agent}, ${nextSequence("cluster_memberships", agent)},
      ${valuesOf(MEMBERSHIP_COLUMNS, row)})
      ON CONFLICT (agent, cluster_id, node_id) DO UPDATE SET ${joined(taken, ", ")}
      RETURNING ${MEMBERSHIP}`;
  }

  isMember(clusterId: string, nodeId: string): boolean {
    return this.#rows.all(this.#memberOf("SELECT 1 AS one", clusterId, nodeId)).length > 0;
  }

  deleteMember(clusterId: string, nodeId: string): boolean {
    const gone = this.#memberOf("DELETE", clusterId, nodeId);
    return this.#noteMembers(sql`${gone} RETURNING node_id`).length > 0;
  }

  #memberOf(what: "SELECT 1 AS one" | "DELETE", clusterId: string, nodeId: string): Query {
    return sql`${raw(what)} FROM nous.cluster_memberships
      WHERE ${this.#ownMembers} AND cluster_id = ${clusterId} AND node_id = ${nodeId}`;
  }

  members(clusterId: string, page: Page = {}): MembershipRow[] {
    return this.#memberships(sql`cluster_id = ${clusterId} AND ${this.#isOfMemory}`, page);
  }

  memberships(page: Page = {}): MembershipRow[] {
    return this.#memberships(raw("true"), page);
  }

  #memberships(where: Query, page: Page): MembershipRow[] {
    const { after, limit } = boundsOf(page);
    return this.#rows.all(
      sql`SELECT ${MEMBERSHIP} FROM nous.cluster_memberships
        WHERE ${this.#ownMembers} AND ${where} AND sequence > ${after} ORDER BY sequence LIMIT ${limit}`,
    );
  }

  /** Writes a cluster as it is, over a stored one with the same id. */
  put(row: Readonly<Record<string, unknown>>): void {
    this.#taking = undefined;
    const { agent } = this.#rows;
    const taken = CLUSTER_COLUMNS.map((column) => raw(`${column} = excluded.${column}`));
    this.#written(sql`
      INSERT INTO nous.clusters (agent, sequence, ${listOf(CLUSTER_COLUMNS)})
      VALUES (${agent}, ${nextSequence("clusters", agent)}, ${valuesOf(CLUSTER_COLUMNS, row)})
      ON CONFLICT (agent, id) DO UPDATE SET ${joined(taken, ", ")} RETURNING ${CLUSTER}`);
  }

  /** Writes a membership as it is, over a stored one of the same memory and cluster. */
  putMembership(row: Readonly<Record<string, unknown>>): void {
    this.#noteMembers(this.#puttingMember(row));
  }
}

/** Returns the names in a JSON array; none if the text is another JSON, or none. */
function namesIn(json: string): string[] {
  try {
    const names: unknown = JSON.parse(json);
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
