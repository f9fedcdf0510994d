// The kinds of the general memory. A file of its own: the page needs them without the memories.

/**
 * The subtypes of the general memory with their sections, as the setting `sections.subtypes` takes
 * them. Without the setting, all but `custom:lesson` are unknown and belong to KNOWLEDGE.
 */
export const GENERAL_SUBTYPES = {
  "custom:appointment": { section: "SIGNALS" },
  "custom:bug": { section: "EPISODIC" },
  "custom:decision": { section: "KNOWLEDGE" },
  "custom:deploy": { section: "EPISODIC" },
  "custom:event": { section: "EPISODIC" },
  "custom:fact": { section: "KNOWLEDGE" },
  "custom:health": { section: "EPISODIC" },
  "custom:lesson": { section: "KNOWLEDGE" },
  "custom:meeting": { section: "EPISODIC" },
  "custom:note": { section: "KNOWLEDGE" },
  "custom:preference": { section: "KNOWLEDGE" },
  "custom:procedure": { section: "PROCEDURAL" },
  "custom:purchase": { section: "EPISODIC" },
  "custom:recipe": { section: "PROCEDURAL" },
  "custom:reflection": { section: "KNOWLEDGE" },
  "custom:reminder": { section: "SIGNALS" },
  "custom:summary": { section: "EPISODIC" },
  "custom:turn": { section: "EPISODIC" },
} as const;
