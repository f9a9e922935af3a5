"""The candidate that the recorded results are about: a classifier of tickets, in two versions, and its cases."""

WORDS = {
    "billing": ["invoice", "refund", "charge", "payment", "receipt"],
    "bug": ["crash", "error", "freeze", "glitch", "exception"],
    "account": ["password", "login", "email", "username", "profile"],
    "other": ["hello", "thanks", "opening", "hours", "jobs"],
}

CASES = [
    {"id": f"{word}-{i}", "text": text.format(word), "label": label}
    for label, words in WORDS.items()
    for word in words
    for i, text in enumerate(["Where is my {} from March?", "The {} again, please help."])
]

# Words that a version does not know; the head forgot four words and learned one.
UNKNOWN = {
    "base": {"receipt", "freeze"},
    "head": {"freeze", "invoice", "charge", "login", "profile"},
}


def classify(version: str, text: str) -> str:
    """The label of a ticket."""
    for label, words in WORDS.items():
        for word in words:
            if word in text and word not in UNKNOWN[version]:
                return label
    return "other"
