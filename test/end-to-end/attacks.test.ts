import { answers } from "./attacks/answers.ts";
import { expectNotGreen } from "./attacks/expect-not-green.ts";
import { inputs } from "./attacks/inputs.ts";
import { editedJudges } from "./attacks/judges-edited.ts";
import { judges } from "./attacks/judges.ts";
import { links } from "./attacks/links.ts";
import { lookUps } from "./attacks/look-ups.ts";
import { rules } from "./attacks/rules.ts";
import { told } from "./attacks/told.ts";
import { vanished } from "./attacks/vanished.ts";

// The other tables are in attacks-around.test.ts: two files run side by side.
expectNotGreen({
  answers,
  "edited judges": editedJudges,
  inputs,
  judges,
  links,
  "look-ups": lookUps,
  rules,
  told,
  vanished,
});
