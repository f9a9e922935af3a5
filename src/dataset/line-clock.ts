/**
 * Says in which line a byte of a CSV file is. csv-parse counts lines itself, but counts a CRLF inside
 * quotes twice (7.0.3), and then every place after it is wrong; its byte offsets are right.
 */
export interface LineClock {
  readonly push: (chunk: Uint8Array) => void;
  /** The line of the last byte before `offset`; offsets must not go back. */
  readonly lineBefore: (offset: number) => number;
  /** The line after the last one asked for. */
  readonly lineAfterLast: () => number;
}

/** A clock for one file; it holds the line ends that were read and not asked for yet. */
export function createLineClock(): LineClock {
  const ahead: number[] = [];
  let taken = 0;
  let passed = 0;
  let bytes = 0;
  let last = 0;
  return {
    push: (chunk) => {
      ahead.splice(0, taken);
      taken = 0;
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) {
        ahead.push(bytes + at);
      }
      bytes += chunk.length;
    },
    lineBefore: (offset) => {
      for (let end = ahead[taken]; end !== undefined && end < offset - 1; end = ahead[taken]) {
        taken += 1;
        passed += 1;
      }
      last = passed + 1;
      return last;
    },
    lineAfterLast: () => last + 1,
  };
}
