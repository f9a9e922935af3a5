import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { datasetFields } from "../../src/suite/dataset-fields.ts";

const tools = {
  hashText: (text: string) => createHash("sha256").update(text).digest("hex"),
};

it.each([
  ["ID;text\nA;x\nB;y\n", "ID"],
  ["text;ticketId\nx;1\ny;2\n", "ticketId"],
  ["user_id;case_id;text\n7;1;x\n7;2;y\n", "case_id"],
  ["ID;text\nA;x\nA;y\n", undefined],
  ["ID;text\nA;x\n;y\n", undefined],
  ["id;case_id;text\n1;a;x\n2;b;y\n", undefined],
  ["valid;text;bid\n1;x;1\n2;y;2\n", undefined],
])("the rows %j are told apart by %s", async (csv, idField) => {
  const readBytes = async function* () {
    await Promise.resolve();
    yield new TextEncoder().encode(csv);
  };
  const file = { path: "data.csv", absolute: "/data.csv" };
  expect(await datasetFields(file, { readBytes, ...tools })).toMatchObject({ idField });
});
