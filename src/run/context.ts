import type { Ledger } from "../model/figures/ledger.ts";
import type { Candidate } from "../model/models/candidate.ts";
import type { ScoreRow } from "../model/outcomes/sample.ts";
import type { Meter, StopSignal } from "../model/figures/spending.ts";
import type { RunStore } from "../model/ports/store.ts";
import type { ReorderBuffer } from "../base/ordered-map.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import type { RunTotals } from "../verdict/run-totals.ts";
import type { Tools } from "../tools.ts";
import type { Answers } from "./answers.ts";
import type { Backpressure } from "./backpressure.ts";
import type { OtherAnswers } from "./other-answers.ts";

/** State that a run's tasks share while samples are made. */
export interface RunContext {
  readonly tools: Tools;
  readonly store: RunStore;
  readonly ledger: Ledger;
  readonly totals: RunTotals;
  readonly candidates: readonly Candidate[];
  readonly stopSignal: StopSignal;
  readonly meter: Meter;
  readonly answers: Answers;
}

/** State shared by a task's samples while they are made. */
export interface TaskContext {
  readonly task: PreparedTask;
  readonly run: RunContext;
  /** Passes scores on to the ledger in the order of the plan. */
  readonly inOrder: ReorderBuffer<ScoreRow>;
  readonly backpressure: Backpressure;
  /** undefined if there is only one candidate. */
  readonly beside: OtherAnswers | undefined;
}
