import type { Slots } from "../model/ports.ts";

/** Runs a piece of work when there is a place for it. */
export async function inSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  await slots.enter();
  try {
    return await work();
  } finally {
    slots.leave();
  }
}
