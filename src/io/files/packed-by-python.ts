import { spawn } from "node:child_process";
import { once } from "node:events";

/** Packers that Node lacks and Python's standard library has: bz2, xz and lzma, alone or for the members of a zip archive. */
const script = `
import bz2, io, lzma, sys, zipfile
most = 1 << 20
data = sys.stdin.buffer.read()
if data.startswith(b"PK\\x03\\x04"):
    parts = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist()[:100]:
            with archive.open(name) as member:
                parts.append(member.read(most - sum(map(len, parts))))
    out = b"\\n".join(parts)
elif data.startswith(b"BZh"):
    out = bz2.BZ2Decompressor().decompress(data, most)
else:
    out = lzma.LZMADecompressor(memlimit=1 << 27).decompress(data, most)
sys.stdout.buffer.write(out)
`;

const seconds = 10;

/** Whether bytes are packed in a way that Node can't unpack. */
export function isPackedOtherwise(bytes: Uint8Array): boolean {
  const heads = [
    [0x42, 0x5a, 0x68],
    [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0],
    [0x5d, 0, 0],
  ];
  if (heads.some((head) => head.every((byte, i) => bytes[i] === byte))) return true;
  const isZip = [0x50, 0x4b, 3, 4].every((byte, i) => bytes[i] === byte);
  return isZip && [12, 14].includes(bytes[8] ?? 0);
}

/**
 * Unpacks a compressed file: its content, up to 1 MB. Bytes that Python's standard library can't unpack are returned as they
 * are. Python runs in isolated mode, so that it imports nothing else.
 */
export async function unpackedByPython(bytes: Uint8Array, python: string): Promise<Uint8Array> {
  const child = spawn(python, ["-I", "-S", "-c", script], {
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "pipe", "ignore"],
    timeout: seconds * 1000,
    killSignal: "SIGKILL",
  });
  const parts: Uint8Array[] = [];
  child.stdout.on("data", (part: Uint8Array) => parts.push(part));
  // Python ends at the first fault, even if it has not read everything: the exit code tells.
  child.stdin.on("error", () => undefined);
  child.stdin.end(bytes);
  try {
    const [code] = await once(child, "close");
    return code === 0 ? Buffer.concat(parts) : bytes;
  } catch {
    // Python is not installed.
    return bytes;
  }
}
