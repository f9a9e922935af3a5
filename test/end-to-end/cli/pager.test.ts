import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { regrade } from "../../support/cli.ts";
import { onTerminal } from "../../support/terminal/on-terminal.ts";
import { suiteFiles } from "../../support/suite-files.ts";

/** A list that is longer than the terminal: it opens in the user's pager, as git's do. */

/** Says that it is the pager, and how many lines it was given. */
const pager = `#!/bin/sh
echo "pager $1 LESS=$LESS: $(wc -l) lines"
`;
const term = { TERM: "xterm-256color" };
const list = ["show", "latest"];

async function ranProject() {
  const fixture = await createFixture({
    ...suiteFiles({ cases: 300, candidates: '{ app: { command: ["false"] } }' }),
    "pager.sh": pager,
  });
  const end = await regrade(["run", "evals/qa.yaml", "--quiet"], { in: fixture.path });
  expect(end.code, end.stderr).toBe(4);
  return fixture;
}

it(
  "pages several hundred cases on a terminal, and never where the output is piped",
  { tags: "long" },
  async () => {
    await using fixture = await ranProject();
    const env = { ...term, PAGER: `sh ${fixture.getPath("pager.sh")} -x` };
    const show = async (argv: readonly string[], more: object = {}, under = onTerminal) =>
      (await regrade(argv, { in: fixture.path, env: { ...env, ...more }, under })).stdout;
    const paged = await show(list);
    expect(paged).toMatch(/^pager -x LESS=FRX: 3\d\d lines\s*$/);
    expect(await show(list, { REGRADE_PAGER: "wc -c" })).toMatch(/^\d+\s*$/);
    const brief = /and 280 more: --full lists all/;
    expect(await show([...list, "--no-pager"])).toMatch(brief);
    for (const PAGER of ["cat", "", "no-such-pager"])
      expect(await show(list, { PAGER }), PAGER).toMatch(brief);
    expect(await show(list, {}, [])).toMatch(brief);
    expect(await show([...list, "--error", "no such error"])).toContain("No cases to list.");
    expect(await show(["history"])).not.toContain("pager");
    expect((await show([...list, "--json"])).trim().split("\n")).toHaveLength(300);
  },
);
