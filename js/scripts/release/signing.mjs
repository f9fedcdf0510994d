// Signs a statement, and reads signed ones: a bundle of Sigstore (v0.3) with a DSSE envelope, as cosign and the
// attestations of GitHub write it. The key is one of ECDSA P-256 or Ed25519.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from "node:crypto";
import { readFileSync } from "node:fs";

/** The variable that holds the private key, as PEM, and that of its passphrase. */
const KEY = "RELEASE_KEY";
const PASSPHRASE = "RELEASE_KEY_PASSPHRASE";

const MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json";
const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns a file's text. Throws without the name if that is a key. */
function textOf(option, file) {
  if (/-----|\n/.test(file)) throw new Error(`${option} takes the name of a file, no key`);
  try {
    return readFileSync(file, "utf8");
  } catch ({ message }) {
    throw new Error(`${option} cannot be read: ${message}`);
  }
}

/** Returns a key. Throws if `read` does, or if tools do not verify with keys of this kind. */
function known(where, read) {
  const key = (() => {
    try {
      return read();
    } catch ({ message }) {
      throw new Error(`${where} holds no key in PEM that can be read: ${message}`);
    }
  })();
  const kind = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType;
  if (kind !== "prime256v1" && kind !== "ed25519")
    throw new Error(`${where} holds a key of the kind ${kind}: make one of P-256 or Ed25519`);
  return key;
}

/**
 * Returns the private key of a file or of the environment; undefined if neither is named. Takes key and passphrase out
 * of the environment, so that no program that this one starts gets them.
 */
export function privateKeyOf(file, env = process.env) {
  const { [KEY]: ofVariable, [PASSPHRASE]: passphrase } = env;
  delete env[KEY];
  delete env[PASSPHRASE];
  const isInFile = file !== undefined;
  const key = isInFile ? textOf("--key", file) : ofVariable;
  if (key === undefined || key === "") return undefined;
  return known(isInFile ? "--key" : KEY, () => createPrivateKey({ key, passphrase }));
}

/** Returns the public key of a file. */
export function publicKeyOf(file) {
  const key = textOf("--public-key", file);
  if (key.includes("PRIVATE KEY"))
    throw new Error("--public-key holds a private key: name its public half");
  return known("--public-key", () => createPublicKey(key));
}

/** Returns a private key for one run. */
export const keyOfRun = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** Returns the public half of a private key as PEM. */
export const publicHalf = (key) => createPublicKey(key).export({ type: "spki", format: "pem" });

/** Returns the name of a public key: the hash that cosign writes into bundles. */
const nameOf = (key) =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64");

/** Returns the bytes that a signature is of: the pre-authentication encoding of DSSE. */
const encoded = (type, payload) =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `),
    payload,
  ]);

/** Ed25519 has a hash of its own. */
const hashOf = (key) => (key.asymmetricKeyType === "ed25519" ? null : "sha256");

/** Returns the bundle of a statement, as JSON. */
export function signed(statement, key) {
  const payload = Buffer.from(statement);
  const sig = sign(hashOf(key), encoded(PAYLOAD_TYPE, payload), key).toString("base64");
  const bundle = {
    mediaType: MEDIA_TYPE,
    verificationMaterial: { publicKey: { hint: nameOf(createPublicKey(key)) } },
    dsseEnvelope: {
      payload: payload.toString("base64"),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ sig }],
    },
  };
  return `${JSON.stringify(bundle)}\n`;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value of JSON, with `undefined` for all that is no object. */
export function objectOf(text) {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function bytesAt(field, value) {
  if (typeof value !== "string" || value === "" || !BASE64.test(value))
    throw new Error(`${field} is no text in base64`);
  return Buffer.from(value, "base64");
}

/** Returns the statement of a bundle that this key signed. Throws if it did not, naming the field. */
export function statementOf(text, key) {
  const bundle = objectOf(text);
  if (bundle === undefined) throw new Error("it is no object of JSON");
  if (bundle.mediaType !== MEDIA_TYPE)
    throw new Error(`mediaType is ${JSON.stringify(bundle.mediaType)}, and not ${MEDIA_TYPE}`);
  const { verificationMaterial: material, dsseEnvelope: envelope } = bundle;
  if (isObject(material?.certificate))
    throw new Error(
      "a workflow signed it, and no key: verify each file by `gh attestation verify FILE --repo OWNER/NAME`",
    );
  if (!isObject(envelope)) throw new Error("dsseEnvelope is no object");
  if (envelope.payloadType !== PAYLOAD_TYPE)
    throw new Error(
      `dsseEnvelope.payloadType is ${JSON.stringify(envelope.payloadType)}, and not ${PAYLOAD_TYPE}`,
    );
  const payload = bytesAt("dsseEnvelope.payload", envelope.payload);
  const { signatures } = envelope;
  if (!Array.isArray(signatures) || signatures.length !== 1)
    throw new Error("dsseEnvelope.signatures is no list of one signature");
  const sig = bytesAt("dsseEnvelope.signatures[0].sig", signatures[0]?.sig);
  if (verify(hashOf(key), encoded(PAYLOAD_TYPE, payload), key, sig)) return payload.toString();
  const hint = material?.publicKey?.hint;
  throw new Error(
    hint === nameOf(key)
      ? "the statement or its signature is not the one that was signed"
      : `another key than --public-key signed it: it names ${hint}, and the key is ${nameOf(key)}`,
  );
}
