import { expect, it } from "vitest";
import { errorLine, messagePattern } from "../../src/base/error-line.ts";

const python = `ended with exit code 1 before it answered: Traceback (most recent call last):
  File "/w/evals/../app.py", line 8, in <module>
    print(handle(r))
          ^^^^^^^^^
  File "/w/app.py", line 41, in handle
    return prices["order"]
           ~~~~~~^^^^^^^^^
KeyError: 'order'`;

const chained = `Traceback (most recent call last):
  File "/w/a.py", line 1, in load
ValueError: first

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/w/b.py", line 2, in read
shop.errors.Unreadable: second
with another line`;

const node = `exit code 1: /w/app.js:10
    throw new TypeError("no order");
    ^

TypeError: no order
    at handle (/w/app.js:10:11)
    at Object.<anonymous> (/w/main.js:3:1)

Node.js v24.0.0`;

it.each([
  ["a Python traceback", python, "KeyError: 'order' at app.py:41"],
  ["exceptions that led to one another", chained, "shop.errors.Unreadable: second at b.py:2"],
  ["a JavaScript stack", node, "TypeError: no order at app.js:10"],
  [
    "a grader's exception",
    "ZeroDivisionError: division by zero (grader.py:4, in grade)",
    "ZeroDivisionError: division by zero (grader.py:4, in grade)",
  ],
  [
    "what a program said at last",
    "exit code 3: starting\nloading\nfatal: disk full\n",
    "exit code 3: fatal: disk full",
  ],
  ["a traceback without an end", 'x\n  File "/w/a.py", line 1, in f\n    g()', "g()"],
  ["one line", "no answer within 5 s (timeout_seconds)", "no answer within 5 s (timeout_seconds)"],
  ["nothing", "", ""],
])("shortens %s to the line that says what happened", (_, message, line) => {
  expect(errorLine(message).text).toBe(line);
});

const kind = (from: string, to: string): string => errorLine(python.replace(from, to)).kind;

it("takes errors of one kind at one place together, whatever they quote, and keeps others apart", () => {
  expect(kind("'order'", "'c17'")).toBe(kind("", ""));
  expect(kind("line 41", "line 42")).not.toBe(kind("", ""));
  expect(kind("KeyError:", "ValueError:")).not.toBe(kind("", ""));
  expect(errorLine("case 7 is 'a'").kind).toBe(errorLine("case 81 is 'b'").kind);
});

it("shortens a message of megabytes without reading it all", () => {
  const long = `${"x".repeat(4_000_000)}\n${python}`;
  expect(errorLine(long).text).toBe("KeyError: 'order' at app.py:41");
  expect(errorLine("y".repeat(100_000)).text.length).toBeLessThan(310);
});

it("leaves of a message what does not differ from case to case", () => {
  expect(messagePattern('expected "a 1"  and\n  got 12')).toBe("expected … and got 0");
  expect(messagePattern("can't open file '/tmp/a1/app.py'")).toBe("can't open file …");
  const objects = [
    "<coroutine object grade at 0x7f1df11e3d30>",
    "<coroutine object grade at 0x6f1d>",
  ];
  expect(new Set(objects.map(messagePattern)).size).toBe(1);
});
