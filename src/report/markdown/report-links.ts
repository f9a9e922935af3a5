import type { Circumstances } from "../../model/circumstances.ts";
import type { PublishContent } from "../../model/definition/suite.ts";

/** Addresses within a run's page, read by the viewer's routes. undefined: there is no page, or its address is unknown. */

/** The list of broken cases. */
export function brokenAddress(circumstances: Circumstances | undefined): string | undefined {
  return addressOf(circumstances, { show: "broke" });
}

/** The cases beyond a limit, as a list. */
export function beyondAddress(circumstances: Circumstances | undefined): string | undefined {
  return addressOf(circumstances, { show: "beyond" });
}

/** The cases of a group. undefined if texts may not be shown: the page then has other groups. */
export function groupAddress(
  at: { readonly circumstances?: Circumstances | undefined; readonly content: PublishContent },
  number: number,
): string | undefined {
  if (at.content === "ids") return undefined;
  return addressOf(at.circumstances, { group: String(number) });
}

/** One case. */
export function caseAddress(
  circumstances: Circumstances | undefined,
  caseId: string,
): string | undefined {
  return addressOf(circumstances, { case: caseId });
}

function addressOf(
  circumstances: Circumstances | undefined,
  route: Readonly<Record<string, string>>,
): string | undefined {
  const url = circumstances?.reportUrl;
  return url === undefined ? undefined : `${url}#${new URLSearchParams(route).toString()}`;
}
