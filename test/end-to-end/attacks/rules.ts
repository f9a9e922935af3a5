import { suiteFiles } from "../../support/suite-files.ts";
import { judged, worse, type Attack } from "./attack.ts";

const lowered = "{ rules: [{ metric: exact_match, min: 0.5 }] }";

/** The change edits the manifest's rules. */
export const rules: readonly Attack[] = [
  {
    attack: "lowers the threshold that its worse answers miss",
    control: () => judged({ base: suiteFiles(), head: suiteFiles() }),
    run: () => judged({ base: suiteFiles(worse), head: suiteFiles({ ...worse, gate: lowered }) }),
    code: 1,
    says: "By the base's policy: fail; by its own: pass.",
  },
];
