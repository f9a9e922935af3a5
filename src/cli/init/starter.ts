/** The labels of the example's tickets. */
export const starterLabels = ["billing", "bug", "other"];

const tickets: readonly (readonly [text: string, label: string])[] = [
  ["My invoice for May shows two seats, but we have one.", "billing"],
  ["The app crashes when I open a photo from the camera.", "bug"],
  ["Can I invite a guest to a single project?", "other"],
  ["You charged my card twice this morning.", "billing"],
  ["Saving a draft gives me error 500.", "bug"],
  ["Where do I find the keyboard shortcuts?", "other"],
  ["I would like a refund for the yearly plan.", "billing"],
  ["The search is broken since the last update.", "bug"],
  ["Do you have an office in Lisbon?", "other"],
  ["Our payment by bank transfer has not been booked.", "billing"],
  ["Export to PDF fails on the second page.", "bug"],
  ["How many people may share a workspace?", "other"],
  ["Please send last year's invoice again, with our VAT number.", "billing"],
  ["After the login the screen stays white and an error is shown.", "bug"],
  ["Is there a version for Linux?", "other"],
  ["Why did the price of my plan go up?", "billing"],
  ["The app shows yesterday's numbers, whatever I do.", "bug"],
  ["Thank you, the new editor is lovely!", "other"],
  ["I cancelled in March, and was charged in April.", "billing"],
  ["Uploading a large video fails after a minute.", "bug"],
];

/** Number of cases in the example. */
export const starterSize = tickets.length;

/** A small data set to begin with: tickets and their labels, one object on each line. */
export function starterData(): string {
  const rows = tickets.map(([text, label], i) => ({ id: `ticket-${i + 1}`, text, label }));
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/**
 * A program that sorts the example's tickets offline. It gets 18 of 20 right, so that there is something to improve.
 */
export const starterProgram = `"""Sorts a support ticket: the prompt comes on standard input, the answer goes to standard output.

This is the program that is judged. Put a call of your own app in its place.
"""

import sys

WORDS = {
    "billing": ("invoice", "charged", "refund", "payment"),
    "bug": ("crash", "error", "broken", "fails"),
}

ticket = sys.stdin.read().lower()
for label, words in WORDS.items():
    if any(word in ticket for word in words):
        print(label)
        break
else:
    print("other")
`;

/** A placeholder program for the user's own data, to be completed by its owner. */
export const placeholderProgram = `"""Answers a prompt: it comes on standard input, the answer goes to standard output.

This is the program that is judged. So far it repeats the last line; put a call of your own app in its place.
"""

import sys

lines = sys.stdin.read().strip().splitlines()
print(lines[-1] if lines else "")
`;
