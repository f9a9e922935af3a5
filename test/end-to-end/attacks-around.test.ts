import { approvers } from "./attacks/approvers.ts";
import { archives } from "./attacks/archives.ts";
import { baselines } from "./attacks/baselines.ts";
import { evidence } from "./attacks/evidence.ts";
import { expectNotGreen } from "./attacks/expect-not-green.ts";
import { graderFiles } from "./attacks/grader-files.ts";
import { names } from "./attacks/names.ts";
import { packages } from "./attacks/packages.ts";
import { prices } from "./attacks/prices.ts";
import { resources } from "./attacks/resources.ts";
import { runsText } from "./attacks/runs-text.ts";
import { severalSuites } from "./attacks/several-suites.ts";
import { tables } from "./attacks/tables.ts";
import { submodules } from "./attacks/submodules.ts";

// The other tables are in attacks.test.ts: two files run side by side.
expectNotGreen({
  evidence,
  packages,
  prices,
  resources,
  "answers that are run": runsText,
  approvers,
  baselines,
  names,
  archives,
  submodules,
  "several suites": severalSuites,
  "tables of answers": tables,
  "files of a grader": graderFiles,
});
