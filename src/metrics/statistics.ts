import type { Statistics } from "../domain/ports.ts";
import { detectableDrop } from "./detectable-drop.ts";
import { holm } from "./holm.ts";
import { mcnemarMidP } from "./mcnemar.ts";
import { mean } from "./mean.ts";
import { pairedT } from "./paired-t.ts";
import { signFlip } from "./sign-flip.ts";
import { tangoInterval } from "./tango.ts";

/** The statistics that the gate judges with. Pure: the same numbers in, the same bytes out. */
export const statistics: Statistics = {
  mean,
  mcnemarMidP,
  tangoInterval,
  pairedT,
  signFlip,
  holm,
  detectableDrop,
};
