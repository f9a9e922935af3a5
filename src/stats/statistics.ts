import type { Statistics } from "../model/statistics.ts";
import { aggregateChange } from "./aggregate-change.ts";
import { aggregateValue } from "./aggregation.ts";
import { armSwap } from "./swap.ts";
import { benjaminiHochberg } from "./adjustment.ts";
import { clopperPearson } from "./proportion.ts";
import { clusterFlip, clusterT } from "./cluster-t.ts";
import { canProve, provingChance, smallestDrop } from "./detectable.ts";
import { dropTest } from "./drop-test.ts";
import { holm } from "./adjustment.ts";
import { hypergeometricAtLeast } from "./hypergeometric.ts";
import { judgedMargin, peoplesDifference } from "./judge-error.ts";
import { mcnemarMidP } from "./mcnemar.ts";
import { mean } from "./mean.ts";
import { noninferiorityT, noninferiorityTango } from "./noninferiority.ts";
import { pairedT } from "./paired-t.ts";
import { casesNeeded, casesToShow, mcnemarPower } from "./power.ts";
import { reduceRepeats } from "./repeats.ts";
import { signFlip } from "./sign-flip.ts";
import { stratifiedDropTest, stratifiedNoise } from "./stratified.ts";
import { tangoInterval } from "./tango.ts";
import { weightedDropTest, weightedNoise } from "./weighted-drop.ts";
import { varianceComponents } from "./variance-components.ts";

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
