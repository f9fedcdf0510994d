// The signed provenance of a release: other programs read it, and a file, a statement or a key that is not
// the signer's is told.

import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, Verifier } from "@sigstore/verify";
import { describe, expect, it, onTestFinished } from "vitest";
import { provenanceOf } from "../../js/scripts/release/provenance.mjs";
import {
  keyOfRun,
  privateKeyOf,
  publicHalf,
  publicKeyOf,
  signed,
  statementOf,
} from "../../js/scripts/release/signing.mjs";
import { BUNDLE, hashesOf, PUBLIC_KEY, verifyFolder } from "../../js/scripts/release/verifying.mjs";
import { emptyFolder, root, run } from "./support/tarball.ts";

const PEM = { type: "pkcs8", format: "pem" } as const;
const ed25519 = () => generateKeyPairSync("ed25519").privateKey;
const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
const made = {
  ...{ version: "1.2.3", revision: "cd".repeat(20), isChanged: true, isDry: true },
  ...{ repository: "https://example.org/nous" },
};

function folder() {
  const made = emptyFolder();
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

interface Bundle {
  mediaType?: string;
  verificationMaterial: object;
  dsseEnvelope?: { payload: string; payloadType: string; signatures: ({ sig: string } | null)[] };
}

/** Returns a folder with files of a release, signed by a key, and what changes the bundle. */
function released(key: KeyObject) {
  const at = folder();
  writeFileSync(join(at, "nous-server-1.2.3.tgz"), "server");
  writeFileSync(join(at, "SHA256SUMS"), `${sha256("server")}  nous-server-1.2.3.tgz\n`);
  const file = join(at, `nous-1.2.3${BUNDLE}`);
  const sign = (statement: string) => writeFileSync(file, signed(statement, key));
  sign(provenanceOf({ ...made, hashes: hashesOf(at) }));
  writeFileSync(join(at, `nous-1.2.3${PUBLIC_KEY}`), publicHalf(key));
  const change = (by: (bundle: Bundle) => void) => {
    const bundle = JSON.parse(readFileSync(file, "utf8"));
    by(bundle);
    writeFileSync(file, JSON.stringify(bundle));
  };
  const verify = () => verifyFolder(at, createPublicKey(key));
  return { at, file, sign, change, verify };
}

it("the provenance names files, commit and locks, and whether it is of a dry run", () => {
  const hashes = { "nous-memory-1.2.3.tgz": sha256("a"), "nous-server-1.2.3.tgz": sha256("b") };
  const read = (changed = {}) => JSON.parse(provenanceOf({ ...made, hashes, ...changed }));
  const { _type, subject, predicateType, predicate } = read();
  expect({ _type, predicateType }).toEqual({
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://slsa.dev/provenance/v1",
  });
  expect(subject).toEqual([
    { name: "nous-memory-1.2.3.tgz", digest: { sha256: sha256("a") } },
    { name: "nous-server-1.2.3.tgz", digest: { sha256: sha256("b") } },
  ]);
  const { buildDefinition } = predicate;
  expect(buildDefinition.internalParameters).toMatchObject({
    ...{ differsFromCommit: true, node: process.version },
  });
  expect(buildDefinition.resolvedDependencies).toEqual([
    { uri: "git+https://example.org/nous", digest: { gitCommit: made.revision } },
    ...["Cargo.lock", "package-lock.json"].map((name) => ({
      ...{ name, digest: { sha256: sha256(readFileSync(join(root, name))) } },
    })),
  ]);
  expect(buildDefinition.buildType).toBe("urn:nous:release:dry-run");
  expect(read({ isDry: false }).predicate.buildDefinition.buildType).toBe("urn:nous:release");
  const { resolvedDependencies } = read({ repository: undefined }).predicate.buildDefinition;
  expect(resolvedDependencies[0].uri).toBe("git+file:.");
});

describe.each([
  { kind: "P-256", make: keyOfRun },
  { kind: "Ed25519", make: ed25519 },
])("signed with $kind", ({ make }) => {
  it("is verified by Sigstore's own library with the key that its hint names, and with no other", () => {
    const key = make();
    const hints: string[] = [];
    const verify = (publicKey: KeyObject, text: string) => {
      const none = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
      const find = (hint: string) => {
        hints.push(hint);
        return { publicKey, validFor: () => true };
      };
      const verifier = new Verifier(
        { ...none, publicKey: find },
        {
          ...{ tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 },
        },
      );
      return verifier.verify(toSignedEntity(bundleFromJSON(JSON.parse(text))));
    };
    const own = createPublicKey(key);
    const statement = provenanceOf({ ...made, hashes: { "ä.tgz": sha256("a") } });
    const text = signed(statement, key);
    expect(verify(own, text).key).toBe(own);
    const der = own.export({ type: "spki", format: "der" });
    expect(hints).toEqual([createHash("sha256").update(der).digest("base64")]);
    expect(() => verify(createPublicKey(make()), text)).toThrow("signature verification failed");
    expect(statementOf(text, own)).toBe(statement);
  });

  it("holds for a folder as it was signed, and tells each file that is not", () => {
    const { at, verify } = released(make());
    expect(verify().subject.map(({ name }) => name)).toEqual([
      "SHA256SUMS",
      "nous-server-1.2.3.tgz",
    ]);
    writeFileSync(join(at, "nous-server-1.2.3.tgz"), "other");
    rmSync(join(at, "SHA256SUMS"));
    writeFileSync(join(at, "more.tgz"), "more");
    mkdirSync(join(at, "below"));
    const other = "nous-server-1.2.3.tgz has the SHA-256";
    expect(verify).toThrow(`nous-1.2.3${BUNDLE} does not hold: SHA256SUMS is missing
${other} ${sha256("other")}, and not ${sha256("server")}
below is none of its subjects: remove it, or do not trust it
more.tgz is none of its subjects: remove it, or do not trust it`);
  });
});

describe("does not hold", () => {
  const key = keyOfRun();

  it("with a statement that was changed after it was signed", () => {
    const { change, verify } = released(key);
    change(({ dsseEnvelope }) => {
      const text = Buffer.from(dsseEnvelope!.payload, "base64").toString();
      dsseEnvelope!.payload = Buffer.from(text.replace(/1\.2\.3/g, "1.2.4")).toString("base64");
    });
    expect(verify).toThrow("the statement or its signature is not the one that was signed");
  });

  it("with another key, also if the bundle names the right one", () => {
    const { at, file, change } = released(ed25519());
    const other = createPublicKey(key);
    const verify = () => verifyFolder(at, other);
    const { hint } = JSON.parse(readFileSync(file, "utf8")).verificationMaterial.publicKey;
    expect(verify).toThrow(`another key than --public-key signed it: it names ${hint}, and `);
    const named = JSON.parse(signed("{}", key)).verificationMaterial;
    change((bundle) => {
      bundle.verificationMaterial = named;
    });
    expect(verify).toThrow("the statement or its signature is not the one that was signed");
  });

  it.each<[string, (bundle: Bundle) => void, string]>([
    ["media type", (b) => delete b.mediaType, "mediaType is undefined, and not application/vnd"],
    ["envelope", (b) => delete b.dsseEnvelope, "dsseEnvelope is no object"],
    ["payload", (b) => (b.dsseEnvelope!.payload = "e30-"), "payload is no text in base64"],
    [
      "kind of payload",
      (b) => (b.dsseEnvelope!.payloadType = "application/json"),
      'payloadType is "application/json", and not application/vnd.in-toto+json',
    ],
    ["signature", (b) => (b.dsseEnvelope!.signatures = []), "signatures is no list of one"],
    ["text of it", (b) => (b.dsseEnvelope!.signatures = [null]), "[0].sig is no text in base64"],
    [
      "key",
      (b) => (b.verificationMaterial = { certificate: { rawBytes: "AA==" } }),
      "a workflow signed it, and no key: verify each file by `gh attestation verify",
    ],
  ])("with an envelope without its %s", (_, by, why) => {
    const { change, verify } = released(key);
    change(by);
    expect(verify).toThrow(why);
  });

  it("without a bundle, with two, and with one that is no JSON", () => {
    const { at, file, verify } = released(key);
    writeFileSync(join(at, `b${BUNDLE}`), readFileSync(file));
    expect(verify).toThrow(`has 2 files *${BUNDLE}, and not one`);
    rmSync(join(at, `b${BUNDLE}`));
    for (const text of ["", "[]", "null"]) {
      writeFileSync(file, text);
      expect(verify).toThrow("it is no object of JSON");
    }
    rmSync(file);
    expect(verify).toThrow(`has 0 files *${BUNDLE}, and not one`);
  });

  it("with a signed statement that is no provenance of files", () => {
    const { at, sign, verify } = released(key);
    const right = JSON.parse(provenanceOf({ ...made, hashes: hashesOf(at) }));
    const [first, ...others] = right.subject;
    const cases: [object, string][] = [
      [{ _type: "https://in-toto.io/Statement/v0.1" }, "_type of its statement is https://in-toto"],
      [{ predicateType: undefined }, "predicateType of its statement is undefined, and not"],
      [{ subject: [] }, "subject of its statement is no list of files"],
      [{ subject: [null] }, "subject[0] of its statement has no name with a digest.sha256"],
      [{ subject: [{ ...first, digest: {} }] }, "subject[0] of its statement has no name with a"],
      [{ subject: [first, first] }, `subject[1] of its statement names ${first.name} again`],
      [{ subject: others }, `${first.name} is none of its subjects`],
      [{ subject: [...right.subject, { ...first, name: "gone.tgz" }] }, `gone.tgz is missing`],
    ];
    for (const [changed, why] of cases) {
      sign(JSON.stringify({ ...right, ...changed }));
      expect(verify).toThrow(why);
    }
    sign(JSON.stringify(right));
    verify();
  });
});

describe("a key", () => {
  const at = () => join(folder(), "key.pem");
  const written = (pem: string | Buffer) => {
    const file = at();
    writeFileSync(file, pem);
    return file;
  };

  it("is that of a file, else that of the environment, with its passphrase", () => {
    const [one, other] = [keyOfRun(), ed25519()];
    const secret = { cipher: "aes-256-cbc", passphrase: "walnut" } as const;
    const env = { RELEASE_KEY: String(other.export(PEM)), RELEASE_KEY_PASSPHRASE: "walnut" };
    const locked = written(one.export({ ...PEM, ...secret }));
    expect(privateKeyOf(locked, { ...env })?.equals(one)).toBe(true);
    expect(privateKeyOf(undefined, env)?.equals(other)).toBe(true);
    // Programs of the build do not get it.
    expect(env).toEqual({});
    expect(privateKeyOf(undefined, { RELEASE_KEY: "" })).toBeUndefined();
    expect(() => privateKeyOf(locked, {})).toThrow("--key holds no key in PEM that can be read: ");
    expect(publicKeyOf(written(publicHalf(one))).equals(createPublicKey(one))).toBe(true);
  });

  it("that is on the command line, unknown or of another kind is refused without its text", () => {
    const text = String(keyOfRun().export(PEM));
    expect(() => privateKeyOf(text, {})).toThrow(/^--key takes the name of a file, no key$/);
    expect(() => privateKeyOf(at(), {})).toThrow("--key cannot be read: ENOENT");
    expect(() => privateKeyOf(undefined, { RELEASE_KEY: "walnut" })).toThrow(
      /^RELEASE_KEY holds no key in PEM that can be read: (?!.*walnut)/,
    );
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
    expect(() =>
      privateKeyOf(undefined, { RELEASE_KEY: String(rsa.privateKey.export(PEM)) }),
    ).toThrow("RELEASE_KEY holds a key of the kind rsa: make one of P-256 or Ed25519");
    expect(() => publicKeyOf(written(publicHalf(p384.privateKey)))).toThrow(
      "--public-key holds a key of the kind secp384r1: make one of P-256 or Ed25519",
    );
    // A private key is not what a verifier has.
    expect(() => publicKeyOf(written(text))).toThrow(
      "--public-key holds a private key: name its public half",
    );
  });
});

describe("the command", () => {
  const release = (...args: string[]) =>
    run(process.execPath, [join(root, "js", "scripts", "release.mjs"), ...args], root);

  it("verifies a folder, and says of which version and commit it is", async () => {
    const { at } = released(keyOfRun());
    const key = ["--public-key", join(at, `nous-1.2.3${PUBLIC_KEY}`)];
    expect(await release("--verify", at, ...key)).toEqual({
      status: 0,
      stdout: `2 files are as the key signed them.
Version 1.2.3 of git+https://example.org/nous, commit ${made.revision}
The sources differed from the commit.
They are of a dry run, and no release.
`,
      stderr: "",
    });
    writeFileSync(join(at, "SHA256SUMS"), "");
    const changed = await release("--verify", at, ...key);
    expect({ ...changed, stderr: "" }).toEqual({ status: 1, stdout: "", stderr: "" });
    expect(changed.stderr).toContain(
      `✗ nous-1.2.3${BUNDLE} does not hold: SHA256SUMS has the SHA-256`,
    );
    expect(readdirSync(at)).toHaveLength(4);
  });

  it.each([
    [["--verify", "a"], "--verify FOLDER and --public-key FILE go together"],
    [["--public-key", "a"], "--verify FOLDER and --public-key FILE go together"],
    [["--dry-run", "--key", "none.pem"], "--key cannot be read: ENOENT"],
  ])("refuses %j", async (args, why) => {
    const { status, stderr } = await release(...args);
    expect(status).toBe(1);
    expect(stderr).toContain(why);
  });
});
