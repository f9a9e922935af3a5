import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { isPackedOtherwise, unpackByPython } from "../../src/io/files/packed-by-python.ts";

const packed = {
  bz2: "QlpoOTFBWSZTWQ+LpSQAAATbgAAQQAggwICAIGAMACAAMQDQAQRk8hqVoRAYnclL4u5IpwoSAfF0pIA=",
  xz: "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAOV2hhdCBpcyA3KzE/IDgKAAD6BLSBAmuosgABJw/fGvxqH7bzfQEAAAAABFla",
  lzma: "XQAAgAD//////////wArmggndRk91e+v8NjxOB1nbi+F3//7fMAA",
  "a zip archive by lzma":
    "UEsDBD8AAgAOAGo9fF1G+XHpIwAAAA8AAAABAAAAYQkEBQBdAACAAAArmggndRk91e+v8NjxOB1nbi+F3//7fMAAUEsBAj8DPwACAA4Aaj18XUb5cekjAAAADwAAAAEAAAAAAAAAAAAAAIABAAAAAGFQSwUGAAAAAAEAAQAvAAAAQgAAAAAA",
};

const unpackedText = "What is 7+1? 8\n";

test.each(Object.entries(packed))("unpacks %s by Python", async (_, text) => {
  const bytes = Buffer.from(text, "base64");
  expect(isPackedOtherwise(bytes)).toBe(true);
  const found = await unpackByPython(bytes, "python3");
  expect(Buffer.from(found.bytes).toString().trimEnd()).toBe(unpackedText.trimEnd());
  expect(found.isWhole).toBe(true);
});

const [bz2, xz] = [packed.bz2, packed.xz].map((text) => Buffer.from(text, "base64"));
const padding = Buffer.alloc(4);

test.each([
  ["two bz2 streams, as pbzip2 writes them", [bz2, bz2], unpackedText.repeat(2)],
  ["two xz streams and padding", [xz, padding, xz, padding], unpackedText.repeat(2)],
  ["a text after a bz2 stream", [bz2, "8+1 is 9"], `${unpackedText}8+1 is 9`],
])("reads %s", async (_, parts, expected) => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part ?? "")));
  const found = await unpackByPython(bytes, "python3");
  expect(Buffer.from(found.bytes).toString()).toBe(expected);
  expect(found.isWhole).toBe(true);
});

/** By Python's own packers. */
function packedBy(code: string): Buffer {
  return execFileSync("python3", ["-c", `import bz2, io, sys, zipfile\n${code}`]);
}

test.each([
  ["a bz2 stream that is cut off", () => bz2?.subarray(0, -4)],
  [
    "a bz2 stream of 5 MB",
    () => packedBy(`sys.stdout.buffer.write(bz2.compress(b"a line\\n" * 750_000))`),
  ],
  [
    "a zip archive with a member of 5 MB before another",
    () =>
      packedBy(
        [
          "out = io.BytesIO()",
          "with zipfile.ZipFile(out, 'w', zipfile.ZIP_BZIP2) as archive:",
          "    archive.writestr('a', b'a line\\n' * 750_000)",
          "    archive.writestr('b', 'What is 7+1? 8')",
          "sys.stdout.buffer.write(out.getvalue())",
        ].join("\n"),
      ),
  ],
])("says that %s was not read as a whole", async (_, made) => {
  const bytes = made() ?? Buffer.alloc(0);
  expect(isPackedOtherwise(bytes)).toBe(true);
  const found = await unpackByPython(bytes, "python3");
  expect(found.isWhole).toBe(false);
  expect(found.bytes.length).toBeLessThan(5_000_000);
});

test.each([
  ["python3", "BZh9 and more that is not packed"],
  ["no-such-python", "BZh9"],
])("leaves what %s can't unpack as it is", async (python, text) => {
  const bytes = Buffer.from(text);
  expect(await unpackByPython(bytes, python)).toEqual({ bytes, isWhole: false });
});
