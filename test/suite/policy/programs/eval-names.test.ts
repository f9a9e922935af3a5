import { expect, it } from "vitest";
import { signsIn } from "../../../../src/suite/policy/programs/eval-names.ts";

it.each<readonly [string, readonly string[]]>([
  [`if "REGRADE_FIELDS" in os.environ:`, ["REGRADE_FIELDS"]],
  [`any(k.startswith("REGRADE") for k in os.environ)`, ["REGRADE"]],
  [`os.environ.get("REG" + "RADE_AGENT")`, ["REGRADE_AGENT"]],
  [`if (process.env.GITHUB_ACTIONS) {`, ["GITHUB_ACTIONS"]],
  [`os.environ.get("CI")`, ["CI"]],
  [`if (process.env.CI) {`, ["CI"]],
  [`const live = !process.env.CI`, ["CI"]],
  [`const { env } = process; if (env["CI"])`, ["CI"]],
  [`if [ -n "$CI" ]; then`, ["CI"]],
  ["echo ${CI:-no}", ["CI"]],
  [`os.getenv("GITLAB_CI")`, ["GITLAB_CI"]],
  [`b'regrade' in open('/proc/%d/cmdline' % os.getppid(), 'rb').read()`, ["regrade"]],
  [`os.environ["GITHUB_TOKEN"]`, []],
  [`# Runs in CI as well.`, []],
  [`"A 95% CI of the mean"`, []],
  [`print("upgrade, degrade")`, []],
])("names that only an eval has, in %s", (text, names) => {
  expect([...signsIn(text)]).toEqual(names);
});
