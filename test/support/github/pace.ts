/**
 * Lets the product's client of GitHub wait a fiftieth of its time in production. A bench, which runs outside of vitest,
 * measures the real waits; `test/github/github.test.ts` tests them.
 */
export const paced: Readonly<Record<string, string>> =
  process.env["VITEST"] === undefined ? {} : { REGRADE_TEST_GITHUB_PACE: "0.02" };
