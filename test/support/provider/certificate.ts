import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A self-signed certificate: trusted only if a test makes it the custom CA. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Makes a certificate for 127.0.0.1 and localhost, good for a day each way (X.509 v3, RFC 5280; ECDSA with SHA-256). */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
  const name = sequence(set(sequence(oid("550403"), der(0x0c, Buffer.from("loopback")))));
  const day = 86_400_000;
  const subject = publicKey.export({ type: "spki", format: "der" });
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    name,
    subject,
    der(0xa3, sequence(basicConstraints(), subjectAltName())),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(
    body,
    ecdsaWithSha256,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: pem("CERTIFICATE", certificate),
  };
}

function basicConstraints(): Buffer {
  const isCa = sequence(der(0x01, Buffer.from([0xff])));
  return sequence(oid("551d13"), der(0x01, Buffer.from([0xff])), der(0x04, isCa));
}

function subjectAltName(): Buffer {
  const names = sequence(
    der(0x82, Buffer.from("localhost")),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  return sequence(oid("551d11"), der(0x04, names));
}

function der(tag: number, content: Buffer): Buffer {
  const size = content.length;
  const length =
    size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, Math.floor(size / 256), size % 256];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

/** UTCTime, to the second. */
function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${text}Z`));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
