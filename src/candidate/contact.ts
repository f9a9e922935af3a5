import type { Candidate, Generated } from "../model/ports.ts";

/** Ends of a request that never came to the app, or lost it on the way. */
const lostTypes: ReadonlySet<string> = new Set([
  "connection_reset",
  "connection_refused",
  "name_not_resolved",
  "tls",
  "network",
  "not_started",
]);

/**
 * The user's own app answers for its connections: once it was reached in this run, a request that loses it, or can't start it,
 * counts as failed, or an app could leave out the cases that it gets wrong. Before, nobody knows whether it is up: such a request
 * waits until another one reaches the app, and is nobody's fault where all that are under way wait like this.
 */
export function inContact(generate: Candidate["generate"]): Candidate["generate"] {
  let isReached = false;
  let underWay = 0;
  const waiting: (() => void)[] = [];
  const goOn = (): void => {
    if (!isReached && waiting.length < underWay) return;
    for (const resolve of waiting.splice(0)) resolve();
  };
  const settle = async (generated: Generated): Promise<Generated> => {
    if (generated.kind !== "unavailable") {
      isReached = true;
      goOn();
      return generated;
    }
    if (!lostTypes.has(generated.type)) return generated;
    if (!isReached) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      goOn();
      await promise;
    }
    return isReached ? failedBy(generated) : generated;
  };
  return async (request, signal, pay) => {
    underWay += 1;
    try {
      return await settle(await generate(request, signal, pay));
    } finally {
      underWay -= 1;
      goOn();
    }
  };
}

function failedBy({ type, message }: Exclude<Generated, { readonly kind: "answered" }>): Generated {
  const said = `${message}; other requests of this run reached the app, so this is its own failure`;
  return { kind: "failed", type, message: said };
}
