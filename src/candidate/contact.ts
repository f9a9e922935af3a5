import type { Candidate, Generated } from "../model/models/candidate.ts";

/**
 * Errors of a request that did not reach the app, or lost its connection. `open_files_limit` is not among them: this
 * process's own limit says nothing about the app, and the app can't cause it. Limits of the whole machine are, because
 * an app can use them up.
 */
const lostTypes: ReadonlySet<string> = new Set([
  "connection_reset",
  "connection_refused",
  "name_not_resolved",
  "tls",
  "network",
  "not_started",
]);

/**
 * Makes the user's own app responsible for its connections. Once the app was reached in this run, a request that loses
 * its connection or can't connect counts as failed; otherwise an app could drop the cases that it gets wrong. Before
 * that, the app may not be up yet: such a request waits until another one reaches the app. If all requests in flight
 * wait like this, they end as unavailable.
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
