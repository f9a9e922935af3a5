"""Stands in for a judge, so that the example needs no model: `python3 judge.py [PORT]` serves OpenAI's Chat API on this machine."""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SCALES = ("factual_adherence", "completeness", "helpfulness_and_clarity")


def block(name, text):
    """The data that the judge is shown under a name."""
    found = re.search(rf"BEGIN {name} (\w+)\n(.*?)\nEND {name} \1", text, re.DOTALL)
    return json.loads(found[2]) if found else None


def judged(text):
    """Top scores for an answer with the reference in it, low ones for any other."""
    answer, reference = block("ANSWER", text), block("REFERENCE", text)
    right = bool(answer) and str(reference) in str(answer)
    reason = "It has the reference's fact." if right else "It misses the reference's fact."
    scores = {key: value for scale in SCALES for key, value in ((f"{scale}_reasoning", reason), (scale, 5 if right else 1))}
    return {**scores, "unverified_claims": [] if right else [str(answer)]}


class Judge(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = "\n".join(message["content"] for message in asked["messages"])
        message = {"role": "assistant", "content": json.dumps(judged(text))}
        reply = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8017), Judge)
    print(f"judge on port {server.server_port}", flush=True)
    server.serve_forever()
