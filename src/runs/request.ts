import type { AttemptAsked } from "../model/outcomes/attempts.ts";
import type { CiContext } from "../model/baseline.ts";
import type { BaseTree } from "../model/outcomes/policy.ts";
import type { ResultsAsked } from "../model/results.ts";
import type { Run, RunKey } from "../model/outcomes/run.ts";
import type { ShardChoice } from "../model/outcomes/shard.ts";
import type { PublishContent } from "../model/definition/suite.ts";
import type { JudgingFiles } from "../run/judging-files.ts";
import type { RunChoices } from "../suite/selection/choices.ts";
import type { ForeignOutputs } from "../suite/foreign-outputs.ts";

/** A suite, and which parts of it to use. */
export interface SuiteRequest {
  /** The manifest's path. */
  readonly manifest: string;
  /**
   * A run directory, several pooled ones, or `none`. With `auto` or undefined the manifest decides; without a decision
   * there, one is searched for.
   */
  readonly baseline: string | readonly string[] | undefined;
  /** Globs of slot names and of task ids; empty: all. */
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  /** Flags that override the manifest's `run`. */
  readonly choices?: RunChoices | undefined;
  /** The tree whose policy judges; undefined: the suite's own policy does. */
  readonly policyFrom?: BaseTree | undefined;
  /** Names of all suites that run together; a named folder of their runs may lack that of a new one. */
  readonly together?: readonly string[] | undefined;
}

export interface RunRequest extends SuiteRequest {
  /** The run directory. undefined: `.regrade/runs/<run id>`. */
  readonly out: string | undefined;
  readonly resume: boolean;
  /** Refuses a suite with an almost certain mistake of its author. */
  readonly strict?: boolean | undefined;
  /** Runs the failed and ungraded samples of the finished run in `out` again, and stores the results there. */
  readonly rerun?: boolean;
  /** Number of the workflow run's attempt, if `resume` may continue an earlier one. */
  readonly attempt?: AttemptAsked | undefined;
  /** Whether answers of earlier runs may be reused. */
  readonly cache: boolean;
  /** Texts of cases that the summary may contain, if the manifest does not say. */
  readonly publish: PublishContent;
  readonly git: Run["git"];
  /** True for a change, which is responsible for the cases that it broke; false for the state of a branch. */
  readonly ofChange?: boolean | undefined;
  /** Key by which later runs find this one; undefined outside of CI. */
  readonly key?: RunKey | undefined;
  /** Runs only this part of the plan, which has no verdict of its own. undefined: all of it. */
  readonly shard?: ShardChoice | undefined;
  /** Access to earlier runs and approvals in CI; undefined: none. */
  readonly ci?: CiContext | undefined;
  /** An earlier run with the same inputs may be reused for this one, which then runs nothing. */
  readonly mayReuseRun?: boolean;
  /**
   * Called with the suite's name when everything except the baseline is known. The first sample does not wait for this
   * call.
   */
  readonly starting?: (suite: string) => void;
  /** Another tool's results, judged by rules without a manifest; `manifest` is their name in messages. */
  readonly results?: ResultsAsked | undefined;
  /** Foreign code that recorded the results, which are then unverified. */
  readonly scoredBy?: Run["outputs_from"];
  /** The files that judge this suite and those that run before and after it; undefined: it runs alone. */
  readonly judging?: JudgingFiles | undefined;
  /** Outputs of a stranger's run, which are judged instead of running the candidates. */
  readonly outputsFrom?: ForeignOutputs | undefined;
}
