import { createServer } from "node:http";

/**
 * The dataset server of Hugging Face in a process of its own: `node rows-server.ts MILLISECONDS ROWS`. Prints its
 * address; ends with its stdin. One split of one config; rows of some 300 bytes, like svamp's.
 */
const latencyMs = Number(process.argv[2] ?? 0);
const total = Number(process.argv[3] ?? 1000);
const perPage = 100;
const revision = "7f3a1c9d5b2e4f60718293a4b5c6d7e8f9012345";
const features = JSON.stringify(
  ["id", "Body", "Question", "Answer"].map((name, feature_idx) => ({
    feature_idx,
    name,
    type: { dtype: name === "Answer" ? "float64" : "string", _type: "Value" },
  })),
);

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  const body = url.pathname === "/splits" ? splits() : page(Number(url.searchParams.get("offset")));
  setTimeout(() => {
    response.writeHead(200, { "content-type": "application/json", "x-revision": revision });
    response.end(body);
  }, latencyMs);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  console.log(`http://127.0.0.1:${port}`);
});
process.stdin.on("end", () => process.exit());
process.stdin.resume();

function splits(): string {
  const split = { dataset: "bench/svamp", config: "default", split: "test" };
  return JSON.stringify({ splits: [split], pending: [], failed: [] });
}

function page(offset: number): string {
  const rows: string[] = [];
  for (let i = offset; i < Math.min(total, offset + perPage); i += 1) {
    rows.push(`{"row_idx":${i},"row":${row(i)},"truncated_cells":[]}`);
  }
  const rest = `"num_rows_total":${total},"num_rows_per_page":${perPage},"partial":false`;
  return `{"features":${features},"rows":[${rows.join(",")}],${rest}}`;
}

function row(i: number): string {
  return `{"id":"chal-${i}","Body":"Each pack of dvds costs ${i % 97} dollars. If there is a discount of 25 dollars on each pack, and the shop has ${i} of them in its back room, which nobody has counted since the \\"great inventory\\" of last year","Question":"How much do you have to pay to buy each pack?","Answer":${i % 97}.0}`;
}
