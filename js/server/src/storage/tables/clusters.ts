// The tables of clusters and of their members.

import type {
  ClusterChanges,
  ClusterRow,
  MembershipRow,
  NewCluster,
  NewMembership,
} from "../rows.ts";
import {
  AFTER,
  boundsOf,
  isId,
  isThere,
  LISTED,
  PAGE,
  type Page,
  readWithin,
  type Sql,
} from "../sql.ts";

/** The columns of a cluster. */
export const CLUSTER_COLUMNS = [
  "id",
  "name",
  "description",
  "icon",
  "pinned",
  "source",
  "auto_subtypes",
  "created_at",
] as const satisfies readonly (keyof ClusterRow)[];
const CHANGEABLE_OF_CLUSTER = ["name", "description", "icon", "pinned", "auto_subtypes"] as const;
const TEXTS_OF_CLUSTER = ["name", "description", "auto_subtypes"];
const CLUSTER = `rowid AS sequence, ${CLUSTER_COLUMNS.join(", ")}`;
/** Each subtype that a cluster takes in. The column may hold something other than a list. */
const TAKING = `SELECT DISTINCT clusters.rowid AS sequence, clusters.id, named.value AS subtype
  FROM clusters, json_each(CASE WHEN typeof(auto_subtypes) <> 'text' THEN '[]' WHEN NOT json_valid(auto_subtypes) THEN '[]'
    WHEN json_type(auto_subtypes) <> 'array' THEN '[]' ELSE auto_subtypes END) AS named
  WHERE ${isId("clusters.id")} AND named.type = 'text' ORDER BY 1`;
const MEMBERSHIP = "rowid AS sequence, cluster_id, node_id, weight, pinned, updated_at";
const SOUND_MEMBERSHIP = ["cluster_id", "node_id"].map(isId).join(" AND ");
const UPDATE_CLUSTER = `UPDATE clusters SET
  ${CHANGEABLE_OF_CLUSTER.map((column) => `${column} = CASE WHEN ? THEN ? ELSE ${column} END`).join(", ")}
  WHERE id = ? RETURNING ${CLUSTER}`;

/** The tables of clusters. */
export class ClusterTable {
  readonly #sql: Sql;
  readonly #version: () => number;
  /** Clusters that take in memories by themselves, by subtype, as of a version of the database. */
  #taking: { version: number; clusters: Map<string, string[]> } | undefined;

  /** `version` returns a number that changes when another connection commits. */
  constructor(sql: Sql, version: () => number) {
    this.#sql = sql;
    this.#version = version;
  }

  insert(cluster: NewCluster): ClusterRow {
    this.#taking = undefined;
    const places = CLUSTER_COLUMNS.map(() => "?").join(", ");
    return this.#sql.first<ClusterRow>(
      `INSERT INTO clusters (${CLUSTER_COLUMNS.join(", ")}) VALUES (${places}) RETURNING ${CLUSTER}`,
      ...CLUSTER_COLUMNS.map((column) => cluster[column]),
    )!;
  }

  /** Changes a cluster. Returns undefined if there is no such cluster. */
  update(id: string, changes: ClusterChanges): ClusterRow | undefined {
    this.#taking = undefined;
    return this.#sql.first(
      UPDATE_CLUSTER,
      ...CHANGEABLE_OF_CLUSTER.flatMap((column) => [
        column in changes ? 1 : 0,
        changes[column] ?? null,
      ]),
      id,
    );
  }

  /** Deletes a cluster with its memberships. Returns whether it was there. */
  delete(id: string): boolean {
    this.#taking = undefined;
    this.#sql.run("DELETE FROM cluster_memberships WHERE cluster_id = ?", id);
    return this.#sql.all("DELETE FROM clusters WHERE id = ? RETURNING id", id).length > 0;
  }

  find(id: string): ClusterRow | undefined {
    return this.#sql.first(`SELECT ${CLUSTER} FROM clusters WHERE id = ?`, id);
  }

  /** Returns clusters in order. */
  list(page: Page = {}): ClusterRow[] {
    const what = {
      columns: CLUSTER,
      texts: TEXTS_OF_CLUSTER,
      from: `FROM clusters WHERE ${isId("id")} AND ${AFTER}`,
    };
    const [after, limit] = boundsOf(page);
    return readWithin(this.#sql, what, [after], limit, page.room);
  }

  /** Returns the ids of the clusters that take in memories of a subtype by themselves, in order. */
  taking(subtype: string): readonly string[] {
    // A commit of another connection changes the version; changes by this one drop the cache.
    const version = this.#version();
    if (this.#taking?.version !== version)
      this.#taking = { version, clusters: this.#clustersBySubtype() };
    return this.#taking.clusters.get(subtype) ?? [];
  }

  /** Drops the cache of `taking`: the tables of clusters were written, or a write was undone. */
  forgetTaking(): void {
    this.#taking = undefined;
  }

  #clustersBySubtype(): Map<string, string[]> {
    const clusters = new Map<string, string[]>();
    for (const { id, subtype } of this.#sql.all<{ id: string; subtype: string }>(TAKING)) {
      const ids = clusters.get(subtype);
      if (ids === undefined) clusters.set(subtype, [id]);
      else ids.push(id);
    }
    return clusters;
  }

  /**
   * Returns how many memories are in each of these clusters, by id. A cluster without members is
   * not in the map.
   */
  countMembers(clusterIds: readonly string[]): Map<string, number> {
    const rows = this.#sql.all<{ cluster_id: string; count: number }>(
      `SELECT cluster_id, count(*) AS count FROM cluster_memberships
       WHERE cluster_id IN ${LISTED} AND ${isThere("node_id")} AND ${isId("node_id")} GROUP BY cluster_id`,
      JSON.stringify(clusterIds),
    );
    return new Map(rows.map(({ cluster_id, count }) => [cluster_id, count]));
  }

  /** Puts a memory into a cluster, or changes its membership. */
  putMember({ cluster_id, node_id, weight, pinned, updated_at }: NewMembership): MembershipRow {
    return this.#sql.first<MembershipRow>(
      `INSERT INTO cluster_memberships (cluster_id, node_id, weight, pinned, updated_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET weight = excluded.weight, pinned = excluded.pinned, updated_at = excluded.updated_at
       RETURNING ${MEMBERSHIP}`,
      cluster_id,
      node_id,
      weight,
      pinned,
      updated_at,
    )!;
  }

  isMember(clusterId: string, nodeId: string): boolean {
    const member = "SELECT 1 FROM cluster_memberships WHERE cluster_id = ? AND node_id = ?";
    return this.#sql.all(member, clusterId, nodeId).length > 0;
  }

  /** Removes a memory from a cluster. Returns whether it was in it. */
  deleteMember(clusterId: string, nodeId: string): boolean {
    const gone =
      "DELETE FROM cluster_memberships WHERE cluster_id = ? AND node_id = ? RETURNING node_id";
    return this.#sql.all(gone, clusterId, nodeId).length > 0;
  }

  /** Returns the memberships of a cluster, of memories that exist, in order. */
  members(clusterId: string, page: Page = {}): MembershipRow[] {
    return this.#sql.all(
      `SELECT ${MEMBERSHIP} FROM cluster_memberships
       WHERE cluster_id = ? AND ${isThere("node_id")} AND ${isId("node_id")} AND ${PAGE}`,
      clusterId,
      ...boundsOf(page),
    );
  }

  /** Returns all memberships in order. */
  memberships(page: Page = {}): MembershipRow[] {
    return this.#sql.all(
      `SELECT ${MEMBERSHIP} FROM cluster_memberships WHERE ${SOUND_MEMBERSHIP} AND ${PAGE}`,
      ...boundsOf(page),
    );
  }
}
