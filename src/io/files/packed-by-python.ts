import { spawn } from "node:child_process";
import { once } from "node:events";

/** Packers that Node lacks and Python's standard library has: bz2, xz and lzma, alone or for the members of a zip archive. */
const script = `
import bz2, io, lzma, sys, zipfile
most = 4 << 20
data = sys.stdin.buffer.read()

def members():
    """The members of a zip archive; None for what can't be read."""
    left = most
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            try:
                with archive.open(info) as member:
                    part = member.read(left + 1)
            except Exception:
                yield None
                continue
            yield part[:left] + b"\\n"
            if len(part) > left:
                yield None
                return
            left -= len(part)

def streams(unpacker):
    """The content of each compressed stream in the file, then the bytes after the last stream."""
    left, rest = most, data
    while rest:
        stream = unpacker()
        try:
            part = stream.decompress(rest, left)
        except Exception:
            if rest is data:
                raise
            yield rest
            return
        yield part
        if not stream.eof:
            yield None
            return
        left -= len(part)
        rest = stream.unused_data.lstrip(b"\\0")

if data.startswith(b"PK\\x03\\x04"):
    parts = list(members())
elif data.startswith(b"BZh"):
    parts = list(streams(bz2.BZ2Decompressor))
else:
    parts = list(streams(lambda: lzma.LZMADecompressor(memlimit=1 << 27)))
sys.stdout.buffer.write(b"".join(part for part in parts if part is not None))
sys.exit(3 if None in parts else 0)
`;
/** The exit code of the script when it has read a part. */
const inPart = 3;

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

/** A file's content. */
interface PlainFile {
  readonly bytes: Uint8Array;
  /** False if it was unpacked in part, or not at all. */
  readonly isWhole: boolean;
}

/**
 * Unpacks a compressed file: its content, up to 4 MB. Bytes that Python's standard library can't unpack are returned as they
 * are. Python runs in isolated mode, so that it imports nothing else.
 */
export async function unpackByPython(bytes: Uint8Array, python: string): Promise<PlainFile> {
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
    return code === 0 || code === inPart
      ? { bytes: Buffer.concat(parts), isWhole: code === 0 }
      : { bytes, isWhole: false };
  } catch {
    // Python is not installed.
    return { bytes, isWhole: false };
  }
}
