// Wrong input, and valid but unusual input, of clients: texts, values, names, headers, paths.

/** The maximum depth of JSON that is read, and a depth that overflows most recursive code. */
const DEEP = 20_000;

/** JSON that `JSON.stringify` does not write, by placeholder texts. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "<too large>": "1e999",
  "<too low>": "-1e999",
  "<too small>": "1e-999",
  "<negative zero>": "-0",
  "<too exact>": "9007199254740993",
  "<very long>": "1".repeat(400),
  "<deep list>": `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`,
  "<deep object>": `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`,
  "<twice>": '{"a": 1, "a": {"a": 2}, "a": null}',
  "<long list>": `[${"0,".repeat(70_000)}0]`,
};

/** A value as JSON, with the placeholders replaced by their spellings. */
export const spelled = (value: unknown): string =>
  (JSON.stringify(value) ?? "").replace(
    /"(<[a-z ]+>)"/g,
    (text, name: string) => SPELLINGS[name] ?? text,
  );

export const ODD_TEXTS: readonly string[] = [
  "",
  " ",
  "\t\n",
  "\0",
  "a\0b",
  "\ud800",
  "a\udc00b",
  "\ud800\ud800",
  "\ufffd",
  "\ufeff",
  "\u202e\u200b",
  "🙂",
  "e\u0301\u0301\u0301",
  "黄金突破",
  "ﷺ",
  "null",
  "undefined",
  "true",
  "NaN",
  "Infinity",
  "-Infinity",
  "1e999",
  "-0",
  "0",
  "__proto__",
  "constructor",
  "toString",
  "' OR 1=1 --",
  "'; DROP TABLE nodes; --",
  '"" NEAR/0 (* OR',
  "content_title:x AND",
  "%00",
  "%s%n",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "{{7*7}}${7*7}",
  "\\",
  '"',
  "custom:",
  "custom:trade_close",
  "custom:playbook",
  "2026-13-45",
  "2026-02-30T25:61:61Z",
  '{"text": "x", "signals": {"symbol": "BTC", "side": "long", "pnl_pct": 1e999}}',
  '{"trigger_conditions": [{"__proto__": 1}], "success_count": -1, "sample_size": "x"}',
  "[".repeat(DEEP),
  `${'{"signals":'.repeat(DEEP)}1${"}".repeat(DEEP)}`,
  "x".repeat(200),
  "x".repeat(201),
  "🙂".repeat(101),
];

export const ODD_KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "id",
  "length",
  "a b",
  "\0",
  "\ud800",
  "x".repeat(300),
];

/** Values that are not texts. */
export const ODD_VALUES: readonly unknown[] = [
  ...Object.keys(SPELLINGS),
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  [],
  {},
  [null],
  [[]],
  [""],
  [{}],
  [0],
  { length: 1 },
  { type: "event" },
  Array.from({ length: 1_001 }, () => "x"),
  "x".repeat(10_001),
  "x".repeat(1_000_001),
];

/** Values in place of a JSON text. */
export const LITERALS = [
  ...[
    "NaN",
    "Infinity",
    "-Infinity",
    "undefined",
    "1e999",
    "01",
    "0x10",
    ".5",
    "1.",
    "+1",
    "-",
    "--1",
    "1_000",
    "1n",
  ],
  ...[
    "'a'",
    "`a`",
    '"\\x41"',
    '"\\u12"',
    '"a\nb"',
    '"\\ud800"',
    '"\\u0000"',
    "True",
    "None",
    "[1,]",
    "{a: 1}",
    "/* */ 1",
  ],
  ...["null", "[]", "{}", '""', "-1", "7", '"7"', "true"],
];

/** Parts of a path in place of an id. */
export const ODD_PATHS = [
  ...[
    "%00",
    "%2e%2e",
    "%2e",
    "..",
    ".",
    "..%2f..%2fetc%2fpasswd",
    "%zz",
    "%",
    "%ff%fe",
    "%ED%A0%80",
    "%C0%AF",
    "",
    "/",
    "//",
  ],
  ...[
    "a%2Fb",
    "a/b",
    "a;b=c",
    "*",
    "{id}",
    ":id",
    "' OR 1=1 --".replaceAll(" ", "%20"),
    "__proto__",
    "constructor",
  ],
  ...[
    "%F0%9F%99%82",
    "n_none#x".replace("#", "%23"),
    "%5c",
    "%0d%0aX-A:%20b",
    "~",
    "x".repeat(200),
    "x".repeat(5_000),
  ],
];

/** Unusual headers; `of` names the calls that read the header. */
interface OddHeader {
  headers: Readonly<Record<string, string>>;
  of?: string;
  isWrong?: boolean;
  /** Whether it is refused before it reaches a call. */
  isAstray?: boolean;
}

const all = (
  name: string,
  values: readonly string[],
  rest: Omit<OddHeader, "headers"> = {},
): OddHeader[] => values.map((value) => ({ headers: { [name]: value }, ...rest }));

const LONG = "x".repeat(201);
const NO_JSON = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "multipart/form-data",
  "",
  "json",
  "*/*",
];

export const HEADERS: readonly OddHeader[] = [
  ...all("content-type", NO_JSON, { of: "body", isWrong: true }),
  ...all("content-type", [
    "application/json; charset=utf-16",
    "APPLICATION/JSON",
    "application/json;;",
    "application/ld+json",
  ]),
  ...all("idempotency-key", ["", "a b", "é", LONG], { of: "Idempotency-Key", isWrong: true }),
  ...all("if-match", ["", "3", '"x"', '"1" "2"', "**", '"-1"', `"${LONG}"`], {
    of: "If-Match",
    isWrong: true,
  }),
  ...all("x-request-id", ["", LONG, "a b", "é", "${jndi:ldap://x}"]),
  ...all("accept", ["", "text/html", "application/xml;q=9", "é"]),
  ...all("range", ["bytes=0-0", "x"]),
  ...all("accept-encoding", ["gzip", "x", "*;q=0"]),
  ...all("if-none-match", ["*", '"1"']),
  ...all("cookie", ["a=b; a=c", "="]),
  ...all("x-http-method-override", ["DELETE"]),
  ...all("x-forwarded-host", ["evil.example"]),
  ...all("host", ["evil.example", "127.0.0.1.evil.example", "", "@", "[::1", "a:b"], {
    isWrong: true,
    isAstray: true,
  }),
  ...all("origin", ["null", "https://evil.example", "", "x"], { isWrong: true, isAstray: true }),
  // Names of agents, a character for each byte.
  ...all("x-nous-agent", ["", LONG, "\xff\xfe", "a\x80"], { of: "X-Nous-Agent", isWrong: true }),
  ...all("x-nous-agent", [
    "../../etc",
    "%00",
    "__proto__",
    Buffer.from("é🙂").toString("latin1"),
    "a/b\\c:d",
  ]),
];
