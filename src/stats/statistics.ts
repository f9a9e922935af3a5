import type { Statistics } from "../model/figures/statistics.ts";
import { aggregateChange } from "./aggregates/aggregate-change.ts";
import { aggregateValue } from "./aggregates/aggregation.ts";
import { armSwap } from "./inference/swap.ts";
import { benjaminiHochberg } from "./inference/adjustment.ts";
import { clopperPearson } from "./inference/proportion.ts";
import { clusterFlip, clusterT } from "./inference/cluster-t.ts";
import { canProve, provingChance, smallestDrop } from "./sizing/detectable.ts";
import { dropTest } from "./inference/drop-test.ts";
import { holm } from "./inference/adjustment.ts";
import { hypergeometricAtLeast } from "./distributions/hypergeometric.ts";
import { judgedMargin, peoplesDifference } from "./inference/judge-error.ts";
import { mcnemarMidP } from "./inference/mcnemar.ts";
import { mean } from "./aggregates/mean.ts";
import { noninferiorityT, noninferiorityTango } from "./inference/noninferiority.ts";
import { pairedT } from "./inference/paired-t.ts";
import { casesNeeded, casesToShow, mcnemarPower } from "./sizing/power.ts";
import { reduceRepeats } from "./aggregates/repeats.ts";
import { signFlip } from "./inference/sign-flip.ts";
import { stratifiedDropTest, stratifiedNoise } from "./inference/stratified.ts";
import { tangoInterval } from "./inference/tango.ts";
import { weightedDropTest, weightedNoise } from "./inference/weighted-drop.ts";
import { varianceComponents } from "./sizing/variance-components.ts";

/** The statistics that the gate uses. Pure: the same numbers give the same bits. */
export const statistics: Statistics = {
  mean,
  mcnemarMidP,
  tangoInterval,
  pairedT,
  dropTest,
  weightedDropTest,
  weightedNoise,
  stratifiedDropTest,
  stratifiedNoise,
  signFlip,
  clusterT,
  clusterFlip,
  noninferiorityT,
  noninferiorityTango,
  aggregateChange,
  aggregateValue,
  reduceRepeats,
  armSwap,
  clopperPearson,
  benjaminiHochberg,
  hypergeometricAtLeast,
  holm,
  canProve,
  provingChance,
  smallestDrop,
  casesNeeded,
  casesToShow,
  mcnemarPower,
  varianceComponents,
  judgedMargin,
  peoplesDifference,
};
