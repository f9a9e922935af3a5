import { expect, test } from "vitest";
import { isPackedOtherwise, unpackedByPython } from "../../src/io/files/packed-by-python.ts";

const packed = {
  bz2: "QlpoOTFBWSZTWQ+LpSQAAATbgAAQQAggwICAIGAMACAAMQDQAQRk8hqVoRAYnclL4u5IpwoSAfF0pIA=",
  xz: "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAOV2hhdCBpcyA3KzE/IDgKAAD6BLSBAmuosgABJw/fGvxqH7bzfQEAAAAABFla",
  lzma: "XQAAgAD//////////wArmggndRk91e+v8NjxOB1nbi+F3//7fMAA",
  "a zip archive by lzma":
    "UEsDBD8AAgAOAGo9fF1G+XHpIwAAAA8AAAABAAAAYQkEBQBdAACAAAArmggndRk91e+v8NjxOB1nbi+F3//7fMAAUEsBAj8DPwACAA4Aaj18XUb5cekjAAAADwAAAAEAAAAAAAAAAAAAAIABAAAAAGFQSwUGAAAAAAEAAQAvAAAAQgAAAAAA",
};

test.each(Object.entries(packed))("unpacks %s by Python", async (_, text) => {
  const bytes = Buffer.from(text, "base64");
  expect(isPackedOtherwise(bytes)).toBe(true);
  const found = await unpackedByPython(bytes, "python3");
  expect(Buffer.from(found).toString()).toBe("What is 7+1? 8\n");
});

test.each([
  ["python3", "BZh9 and more that is not packed"],
  ["no-such-python", "BZh9"],
])("leaves what %s can't unpack as it is", async (python, text) => {
  const bytes = Buffer.from(text);
  expect(await unpackedByPython(bytes, python)).toEqual(bytes);
});
