/**
 * Limits of samples started beyond those in flight: at most `most`; when only `least` remain, more are started in one
 * go.
 */
const ahead = { most: 64, least: 32 };

/**
 * Starts samples shortly before they can be asked: samples started early only occupy memory, where V8 copies them again
 * and again. Also signals when the last sample has reached its grader.
 */
export class Backpressure {
  readonly #last: () => void;
  #unanswered = 0;
  #notGraded = 0;
  #most: number;
  #least: number;
  #isPlanned = false;
  #resume: (() => void) | undefined;

  /**
   * `places`: maximum number of requests at once. `last` is called when no more samples are planned, and when all have
   * reached their grader.
   */
  constructor(places: number, last: () => void) {
    this.#most = places + ahead.most;
    this.#least = places + ahead.least;
    this.#last = last;
  }

  begin(): void {
    this.#unanswered += 1;
    this.#notGraded += 1;
  }

  /** The sample has its answer, or will get none. */
  answered(): void {
    this.#unanswered -= 1;
    this.#goOn();
  }

  /** The sample is with the grader, or will not reach it. */
  graded(): void {
    this.#notGraded -= 1;
    this.#tellLast();
  }

  /** Called when no more samples will be started. */
  planned(): void {
    this.#isPlanned = true;
    this.#last();
  }

  /** Called after a failure: releases everything that waits. */
  releaseAll(): void {
    this.#most = Infinity;
    this.#least = Infinity;
    this.#goOn();
  }

  /** Yields the same items in smaller batches, as answers arrive; after them no more samples are planned. */
  async *through<T>(batches: AsyncIterable<Iterable<T>>): AsyncGenerator<Iterable<T>> {
    for await (const batch of batches) {
      const items = batch[Symbol.iterator]();
      for (let next = items.next(); next.done !== true; next = items.next()) {
        await this.#room();
        yield this.#some(next.value, items);
      }
    }
    this.planned();
  }

  *#some<T>(first: T, rest: Iterator<T>): Generator<T> {
    yield first;
    while (this.#unanswered < this.#most) {
      const next = rest.next();
      if (next.done === true) return;
      yield next.value;
    }
  }

  #room(): Promise<void> | undefined {
    if (this.#unanswered < this.#most) return undefined;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #goOn(): void {
    if (this.#unanswered > this.#least) return;
    this.#resume?.();
    this.#resume = undefined;
  }

  #tellLast(): void {
    if (this.#isPlanned && this.#notGraded === 0) this.#last();
  }
}
