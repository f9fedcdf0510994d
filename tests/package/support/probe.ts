// Calls every exported function on fixed inputs and returns one text. An environment passes if its
// text equals Node's.

type Nous = typeof import("nous-wasm");

/** Calls every exported function; returns the answers as JSON, with exact numbers. */
export function probe(nous: Nous): string {
  const NOW = Date.UTC(2026, 0, 15, 12);
  const DAY = 86_400_000;
  const SUBTYPES = [
    "custom:trade_entry",
    "custom:signal",
    "custom:lesson",
    "custom:playbook",
    "custom:recipe",
    undefined,
  ];

  /** Pseudo-random numbers that are the same in every environment. */
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };

  const candidates = Array.from({ length: 50 }, (_, index) => {
    const created = NOW - Math.floor(next() * 200) * DAY;
    const accessed = created + Math.floor(next() * (NOW - created));
    return {
      id: `node-${index}`,
      semantic_score: next() * 2 - 1,
      bm25_score: index % 7 === 0 ? undefined : next() * 12,
      graph_score: index % 5 === 0 ? null : next(),
      // The three forms of an instant.
      last_accessed:
        index % 3 === 0
          ? new Date(accessed)
          : index % 3 === 1
            ? accessed
            : new Date(accessed).toISOString(),
      created_at: created,
      access_count: Math.floor(next() * 40),
      inbound_edge_count: Math.floor(next() * 12),
      subtype: SUBTYPES[index % SUBTYPES.length],
    };
  });
  const metrics = {
    total_nodes: 50,
    total_edges: 90,
    density: 0.04,
    avg_inbound_edges: 1.8,
    avg_outbound_edges: 1.8,
  };
  const weights = {
    semantic: 0.5,
    keyword: 0.1,
    graph: 0.1,
    recency: 0.1,
    authority: 0.1,
    affinity: 0.1,
  };
  const ranking = (ranked: ReturnType<Nous["rerankTop"]>) =>
    ranked.map(({ node, score, breakdown, primary_signal }) => [
      node.id,
      score,
      breakdown,
      primary_signal,
    ]);

  const columns = {
    lastAccessed: Float64Array.from({ length: 40 }, (_, index) => NOW - index * 7.3 * DAY),
    stability: Array.from({ length: 40 }, (_, index) => (index % 9) * 3.7),
    section: Uint8Array.from({ length: 40 }, (_, index) => index % 4),
  };

  const questions = [
    "",
    "How does my trade entry differ from the live signal right now?",
    "What’s  happening with the playbook — deliver the ruler, ÄRGER und CURRENCY",
    "lessons learned\tyesterday: profit, LOSS and drawdown",
  ];

  const row = (id: string, score: unknown, subtype: string) => ({
    id,
    score,
    subtype,
    note: `about ${id}`,
  });
  const subResults: [string, ReturnType<typeof row>[]][] = [
    [
      "signals",
      [
        row("a", 0.9, "custom:signal"),
        row("b", "0.8", "custom:lesson"),
        row("c", 0.1, "custom:trade"),
      ],
    ],
    [
      "lessons",
      [
        row("b", 0.7, "custom:lesson"),
        row("d", Number.NaN, "custom:lesson"),
        row("", 1, "custom:signal"),
      ],
    ],
    ["nothing", []],
    ["last", [row("e", 0.05, "custom:playbook"), row("f", 0.04, "custom:playbook")]],
  ];
  const merged = nous.mergeAndSelect(new Map(subResults), {
    query: "which signals are firing?",
    relevanceRatio: 0.3,
  });

  const memories = [
    {
      subtype: "custom:lesson",
      content_title: "Funding squeezes often reverse",
      content_body: JSON.stringify({
        text: "in 24 hours – “mostly” 🙂",
        deep: [1, { text: "no" }],
      }),
      provenance_created_at: "2026-01-15T08:00:00.000Z",
    },
    {
      type: "note",
      memory_section: "EPISODIC",
      content_body: "{not JSON",
      content_summary: "unused",
    },
    {
      subtype: "custom:signal",
      content_title: "Ω".repeat(60),
      content_body: "",
      content_summary: "the summary",
    },
    { content_title: "A lone surrogate: \uD83D", provenance_created_at: new Date(NOW) },
    { content_title: "too long ".repeat(40) },
  ];

  const engine = nous.createEngine({
    sections: {
      intentBoost: 1.6,
      defaultSection: "EPISODIC",
      subtypes: { "custom:recipe": { section: "PROCEDURAL", stability: 200 } },
      profiles: {
        SIGNALS: {
          decay: { maxStabilityDays: 60 },
          rerankingWeights: { semantic: 0.25, recency: 0.35 },
        },
      },
    },
    intent: { matcher: "words", strings: { PROCEDURAL: ["step by step", "ofen"] } },
    curve: "fsrs6",
    knownSymbols: ["gold", "oil"],
    salienceGrowth: true,
  });

  const profile = nous.SECTION_PROFILES.SIGNALS.decay;
  const failure = (call: () => unknown) => {
    try {
      return { answered: call() };
    } catch (error) {
      const { name, code, message, details } = error as InstanceType<Nous["NousError"]>;
      return {
        ours: error instanceof nous.NousError,
        isError: error instanceof Error,
        name,
        code,
        message,
        details,
      };
    }
  };
  const wrong = { ...candidates[1]!, id: "the wrong one", bm25_score: -1 };

  const resident = () => {
    const config = { search: { graphReach: true }, salienceGrowth: true };
    const made = new nous.MemoryIndex({ dimensions: 4, config });
    const embedded = candidates.map((node, i) => ({
      ...node,
      embedding: [i, 1, 2, i % 3],
      tags: [`t${i % 3}`],
      salience: (i % 5) / 4,
    }));
    made.upsert(embedded, { now: NOW });
    made.recall([embedded[1]!.id, embedded[4]!.id], NOW);
    made.link(
      candidates.map(({ id }, i) => ({
        id: `e${i}`,
        source_id: id,
        target_id: candidates[(i * 7) % 50]!.id,
        type: "causes",
      })),
    );
    const index = nous.MemoryIndex.restore(made.snapshot(), { config });
    made.free();
    const query = {
      embedding: [3, 1, 2, 0],
      bm25: [{ id: candidates[5]!.id, score: 2 }],
      now: NOW,
      limit: 8,
    };
    const { ranking, metrics, serendipity } = index.search({ ...query, serendipity_level: "high" });
    const answers = {
      isRanking: ranking instanceof nous.Ranking,
      found: [...ranking],
      metrics,
      serendipity,
      explained: index.explain(ranking.ids[1]!, query),
      similar: index.similar([1, 1, 1, 1], { limit: 5, filter: { tags_any: ["t1"] } }),
      sweep: index.decay(NOW + 40 * DAY),
      transitions: index.transitions(NOW + 40 * DAY),
      recalled: [index.get(embedded[1]!.id), index.get(embedded[4]!.id)],
      bytes: index.snapshot().length,
    };
    index.free();
    return answers;
  };
  const fullText = () => {
    const made = new nous.TextIndex();
    made.upsert(
      candidates.map(({ id }, i) => ({
        id,
        title: `Été ${i % 7}`,
        body: i % 3 === 0 ? "金の価格" : `gold ${i}`,
      })),
    );
    made.remove([candidates[3]!.id]);
    const index = nous.TextIndex.restore(made.snapshot());
    made.free();
    const answers = [
      index.search(["ete", "gold", "価格"], { limit: 60 }),
      index.size,
      index.snapshot().length,
    ];
    index.free();
    return answers;
  };
  const embeddings = () => {
    const words = new TextEncoder().encode("gold\netat\n##s\n!\0");
    const header = Uint32Array.of(4, 16, words.length - 1);
    const scales = Float32Array.of(0.1, 0.2, 0.3, 0.4);
    const rows = Int8Array.from({ length: 4 * 16 }, (_, place) => ((place * 37) % 255) - 127);
    const parts = [new TextEncoder().encode("NOUSEMB1"), header, words, scales, rows];
    const bytes = parts.flatMap(({ buffer, byteOffset, byteLength }) => [
      ...new Uint8Array(buffer, byteOffset, byteLength),
    ]);
    const embedder = new nous.Embedder(Uint8Array.from(bytes));
    const target = new Float32Array(20);
    const answers = [
      embedder.id,
      embedder.dimensions,
      embedder.embed("Golds, gold! ÉTAT"),
      embedder.embedInto("étate gold", target, 2),
      target,
      embedder.embedAll(["gold", "金", "etat!"]),
    ];
    embedder.free();
    return answers;
  };
  const playbooks = [
    {
      id: "fade",
      title: "Fade it – “slowly” 🙂",
      trigger: { anomaly_types: ["funding_extreme"], symbols: ["btc"] },
    },
    {
      id: "break-out",
      content_title: "Ω",
      content_body: JSON.stringify({
        trigger: {
          anomaly_types: ["funding_extreme", "price_spike"],
          min_severity: 0.4,
          conditions: {
            all: [
              { var: "oi", op: "rising", window: 3 },
              { not: { var: "spread", op: ">=", value: 0.2 } },
            ],
          },
        },
        ...{ action: "Buy.", direction: "long", success_count: 5, sample_size: 8 },
      }),
    },
    { id: "any", trigger: { anomaly_types: ["price_spike"] }, success_count: 2, sample_size: 3 },
    { id: "broken", trigger: { anomaly_types: "price_spike" } },
    { id: "dormant", state_lifecycle: "DORMANT", trigger: { anomaly_types: ["price_spike"] } },
  ];
  const events = [
    { type: "funding_extreme", symbol: "BTC", severity: 0.7 },
    { type: "price_spike", symbol: null, severity: 0.45 },
  ];
  const procedural = () => {
    const book = new nous.PlaybookBook();
    book.add(playbooks);
    const before = [
      book.match(events),
      book.match(events, { oi: [1, 2, 3.5], spread: 0.1 }),
      book.problems,
    ];
    book.remove(["any", "broken"]);
    const matches = nous.matchPlaybooks(playbooks, events);
    return {
      before,
      after: [book.match(events), book.size, book.problems],
      matches,
      text: nous.formatPlaybookMatches(matches),
      outcomes: [true, false].map((profitable) =>
        nous.applyOutcome({ success_count: 5, sample_size: 8, stability: 70.3 }, profitable, NOW),
      ),
    };
  };
  const consolidated = () => {
    const body = (signals: object) => JSON.stringify({ text: "Ω – “why” 🙂", signals });
    const rows = Array.from({ length: 40 }, (_, index) => {
      const extreme = index % 3 === 0;
      const known = {
        symbol: index % 4 === 0 ? "eth" : "BTC",
        side: "short",
        anomaly_types: [`kind_${index % 3}`],
      };
      const entry = { ...known, funding_rate: (index % 7) / 1000, news: index % 5 === 0 };
      const close = {
        pnl_pct: extreme ? 1.7 : (index % 4) - 2.3,
        roe_pct: index - 9,
        trade_type: "macro",
        leverage: 10,
      };
      const created_at = NOW - index * 0.7 * DAY;
      return [
        {
          id: `entry-${index}`,
          subtype: "custom:trade_entry",
          content_body: body(entry),
          created_at: created_at - DAY,
        },
        {
          id: `close-${index}`,
          subtype: "custom:trade_close",
          content_title: "BTC",
          content_body: body(close),
          created_at,
        },
      ];
    }).flat();
    const edges = Array.from({ length: 40 }, (_, index) => {
      return { source_id: `close-${index}`, target_id: `entry-${index}`, type: "part_of" };
    });
    const groups = nous.groupEpisodes(rows, { now: NOW });
    const outputs = [
      'TITLE: Fade it\nPLAYBOOK_TRIGGER: {"anomaly_types":["a"]}\nIt “won” 🙂.',
      "no_pattern",
      "Ω".repeat(61),
    ];
    return {
      symbols: [...memories, { content_title: "short eth?" }].map((row) => nous.extractSymbol(row)),
      groups,
      prompts: groups.map((group) => nous.patternPrompt(group)),
      outputs: outputs.map((text) => [
        nous.extractPlaybookTrigger(text),
        nous.parsePatternOutput(text),
      ]),
      patterns: [
        nous.findPatterns(rows, edges),
        nous.findPatterns(rows, edges, { symbols: ["BTC"] }).patterns,
      ],
      plans: typeof nous.planConsolidation,
    };
  };
  const usage = () => {
    const tracker = new nous.UsageTracker({ maxRecords: 7 });
    for (let turn = 0; turn < 4; turn++) {
      tracker.feedback(
        { a: questions[1]!, b: questions[2]!, c: "" },
        questions[turn % 4]!,
        NOW + turn * 3 * DAY,
      );
    }
    const loaded = nous.UsageTracker.load(tracker.save());
    return [
      loaded.save(),
      loaded.boost(["a", "b", "c"]),
      loaded.stats("a", NOW + 20 * DAY),
      loaded.usageScore("b", NOW),
    ];
  };
  const answers = {
    exports: Object.keys(nous)
      .filter((name) => name !== "default")
      .sort(),
    version: nous.version,
    constants: {
      MEMORY_SECTIONS: nous.MEMORY_SECTIONS,
      LIFECYCLE_STATES: nous.LIFECYCLE_STATES,
      RERANKING_WEIGHTS: nous.RERANKING_WEIGHTS,
      ANSWERABLE: nous.ANSWERABLE,
      TRAITS: nous.TRAITS,
      MAX_LEARNED: nous.MAX_LEARNED,
      DECAY_CONFIG: nous.DECAY_CONFIG,
      INITIAL_STABILITY: nous.INITIAL_STABILITY,
      INITIAL_DIFFICULTY: nous.INITIAL_DIFFICULTY,
      SECTION_PROFILES: nous.SECTION_PROFILES,
      SUBTYPE_TO_SECTION: nous.SUBTYPE_TO_SECTION,
      SUBTYPE_INITIAL_STABILITY: nous.SUBTYPE_INITIAL_STABILITY,
    },
    ranking: {
      bySection: ranking(nous.rerankWithSectionWeights(candidates, metrics, NOW)),
      global: ranking(nous.rerankCandidates(candidates, metrics, undefined, new Date(NOW))),
      weighed: ranking(nous.rerankCandidates(candidates, metrics, weights, NOW)),
      top: ranking(nous.rerankTop(candidates, metrics, { limit: 7, now: NOW })),
      topGlobal: ranking(
        nous.rerankTop(candidates, metrics, { limit: 3, now: NOW, sections: false }),
      ),
      none: nous.rerankWithSectionWeights([], metrics, NOW),
      itself: nous
        .rerankTop(candidates, metrics, { limit: 9, now: NOW })
        .every(({ node }) => candidates.includes(node)),
    },
    signals: {
      semantic: nous.semanticScore(candidates[1]!),
      keyword: [
        nous.keywordScore(candidates[1]!, 11.3, 50),
        nous.keywordScore(candidates[1]!, 0, 50),
      ],
      graph: nous.graphScore(candidates[1]!),
      recency: nous.recencyScore(NOW - 17.4 * DAY, NOW),
      authority: nous.authorityScore(3, 1.8),
      affinity: nous.affinityScore(7, NOW - 3 * DAY, "2026-01-14T03:00:00", NOW),
    },
    decay: {
      columns: nous.decayColumns(columns, NOW),
      retrievability: [nous.calculateRetrievability(3.3, 21), nous.calculateRetrievability(1, 0)],
      difficulty: nous.calculateDifficulty("concept", 1234, 7),
      grown: nous.updateStabilityOnAccess(14, 0.37),
      grownForSection: nous.updateStabilityOnAccessForSection(14, 0.37, profile),
      state: [0.9, 0.3, 0.01].map((retrievability) =>
        nous.getDecayLifecycleState(retrievability, 130),
      ),
      stateForSection: [0.9, 0.3, 0.01].map((r) =>
        nous.getDecayLifecycleStateForSection(r, 130, profile),
      ),
      cascade: nous.applyCascadeDecay(0.77, 0.05),
      initial: [
        nous.getInitialStability("fact"),
        nous.getInitialDifficulty("document"),
        nous.getInitialEdgeStrength("causes"),
      ],
      fsrs: [nous.fsrsStabilityFromExponential(21), nous.exponentialStabilityFromFsrs(2.2)],
    },
    sections: SUBTYPES.map((subtype) => [
      nous.getSectionForSubtype(subtype),
      nous.getInitialStabilityForSubtype(subtype),
    ]),
    stakes: [...SUBTYPES, "custom:trade_close", "custom:missed_opportunity"].map((subtype) => {
      const salience = nous.calculateSalience(subtype, {
        pnl_pct: -4.3,
        confidence: 0.7,
        rr_ratio: 2.1,
      });
      return [
        salience,
        nous.modulateStability(subtype, salience),
        nous.modulateStability(subtype, 0.13),
      ];
    }),
    procedural: procedural(),
    consolidated: consolidated(),
    intent: questions.map((question) => [
      nous.classifyIntent(question),
      nous.classifyIntent(question, { matcher: "words" }),
      nous.classifyIntent(question, { explain: true }),
      nous.classifyIntent(question, { matcher: "words", explain: true }),
    ]),
    questions: [
      ...questions,
      "What's my BTC thesis and how did my last SOL trade go?",
      "“Zürich” \uD83D's status?",
      'compare BTC and "漢字" status',
    ].map((question) => {
      const classified = nous.classifyQuery(question);
      return [
        nous.checkDisqualifiers(question),
        nous.classifyQueryType(question),
        nous.extractQueryEntities(question),
        nous.extractQueryAttribute(question),
        nous.decompose(question, classified, { maxParts: 2, bySubject: true }),
        nous.reformulate(question, { entity: "BTC" }),
        nous.understand(question, { matcher: "words", terms: "unicode", now: 0 }),
      ];
    }),
    turns: [
      ...questions,
      "hey 👋 what did we decide about Élan yesterday? Which SIGNALS fire",
      "Thanks! \uD83D",
      "tell me more about “Zürich”",
    ].map((text) => [
      nous.classifyTurn(text),
      nous.planRetrieval(nous.classifyTurn(text, "decision", { mode: "seed-compatible" }), {
        mode: "seed-compatible",
      }),
      nous.planTurn(text, "conversation"),
      nous.selectFrame(text),
      nous.nextTopic(text),
    ]),
    patterns: questions.map((text) =>
      new nous.PatternSet([
        { name: "own", pattern: String.raw`\bmy\b` },
        { name: "Ü", pattern: "ZÜRICH|[i]s" },
      ]).firstMatch(text),
    ),
    fitted: nous.FITTED_EVIDENCE,
    overlaps: questions.map((text) => [
      nous.overlap(text, "my trade, the LIVE signal and the ruler"),
      nous.overlap(text, "my trade, the LIVE signal and the ruler", { mode: "seed-compatible" }),
      nous.overlaps(questions, text),
      nous.estimateTokens(text),
    ]),
    instants: ["2026-01-15T08:00:00+02:00", "2026-02-31", NOW].map(nous.toMilliseconds).map(String),
    instantsIn: ["2026-01-15", "2026-02-31", NOW].flatMap((text) =>
      [nous.millisecondsIn, nous.lastMillisecondsIn].map((read) => String(read("UTC", text))),
    ),
    zones: [nous.isTimeZone("UTC"), nous.isTimeZone("Atlantis"), nous.offsetIn("UTC", 0)],
    snake: nous
      .createEngine(
        nous.inSnakeCase({ sections: { subtypes: { custom: { section: "SIGNALS" } } } }),
      )
      .getSectionForSubtype("custom"),
    budgets: ["decision", "conversation", null].map((frame) =>
      nous.contextBudget(frame, { user_profile: 500 }),
    ),
    usage: usage(),
    recalled: memories.map((row, index) =>
      nous.contextMemory({ ...row, id: `m${index}`, tags: ["BTC"], score: "0.5" }),
    ),
    // Their answers are promises.
    asynchronous: [typeof nous.buildContext, typeof nous.deduplicate, typeof nous.expandMemory],
    types: SUBTYPES.map((subtype) => nous.memoryTypeOf(subtype)),
    confidence: [
      nous.calculateRetrievalConfidence(0.83, 0.41, 7, true),
      nous.calculateRetrievalConfidence(0.2, null, 1, false),
      nous.getConfidenceLevel(0.5),
    ],
    orchestrates: typeof nous.createOrchestrator({ search: () => [] }).retrieve,
    merged,
    coRecalled: nous.coRecallPairs(merged),
    context: [
      nous.formatContext(memories),
      nous.formatContext(memories, 60),
      nous.formatContext([]),
    ],
    guidance: nous.memoryGuidance(),
    configured: {
      ranking: ranking(engine.rerankWithSectionWeights(candidates, metrics, NOW)),
      columns: engine.decayColumns(columns, NOW),
      retrievability: engine.calculateRetrievability(3.3, 21),
      grown: [
        engine.updateStabilityOnAccess(14, 0.37),
        engine.updateStabilityOnAccess(14, 0.37, 0.5),
        engine.updateStabilityOnAccess(14, 0.37, 0.5, 0.8),
        engine.updateStabilityOnAccessForSection(14, 0.37, profile, undefined, 0.1),
      ],
      intent: engine.classifyIntent("Step by  STEP into the Ofen", { explain: true }),
      turn: engine.planTurn("is an alert live?", "task"),
      parts: engine.decompose(
        "compare GOLD, oil: status",
        { disqualifier_category: "D1" },
        { bySubject: true },
      ),
      symbol: engine.extractSymbol({ content_title: "Oil and gold" }),
      merged: engine.mergeAndSelect(subResults, { query: "is a signal firing" }),
      sections: SUBTYPES.map((subtype) => engine.getInitialStabilityForSubtype(subtype)),
      profiles: engine.SECTION_PROFILES,
    },
    resident: resident(),
    fullText: fullText(),
    embeddings: embeddings(),
    errors: [
      failure(() => nous.rerankWithSectionWeights([candidates[0]!, wrong], metrics, NOW)),
      failure(() => nous.decayColumns({ ...columns, stability: [1] }, NOW)),
      failure(() =>
        nous.createEngine({
          sections: { profiles: { SIGNALS: { rerankingWeights: { semantic: 7 } } } },
        }),
      ),
      failure(() => nous.createEngine({ orchestrator: { maxParts: 17 } })),
      failure(() => nous.calculateSalience("custom:trade_close", { pnl_pct: "much" })),
      failure(() =>
        nous.matchPlaybooks(playbooks, [events[0]!, { ...events[1]!, severity: Number.NaN }]),
      ),
      failure(() => nous.decompose("a question", null, { maxParts: 0 })),
      failure(() => nous.planRetrieval({ frame_type: "task", temporal_recency: 2 })),
      failure(() =>
        nous.groupEpisodes([{ id: "the wrong one", subtype: "custom:signal", created_at: "soon" }]),
      ),
      failure(() => nous.UsageTracker.load({ version: 2 } as never)),
      failure(() => nous.createEngine({ colour: "blue" } as object)),
      failure(() => new nous.NousError("invalid_argument", "made by hand").message),
    ],
  };
  return JSON.stringify(answers, (_key, value: unknown) => {
    if (typeof value === "number" && !Number.isFinite(value)) return String(value);
    if (Object.is(value, -0)) return "-0";
    return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  });
}
