"""A server of tools over stdio (Model Context Protocol), with a graph of who calls whom in a small program."""

import json
import sys

CALLS = {
    "main": ["load", "report"],
    "load": ["parse"],
    "parse": [],
    "report": ["format_row"],
    "format_row": [],
}

TOOLS = [
    {
        "name": "callers",
        "description": "The functions that call a function.",
        "inputSchema": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
    },
]


def call(name, arguments):
    """The result of a tool as the protocol has it."""
    function = arguments.get("name")
    if name != "callers" or function not in CALLS:
        return {"content": [{"type": "text", "text": f"no function {function!r}"}], "isError": True}
    found = [caller for caller, called in CALLS.items() if function in called]
    return {"content": [{"type": "text", "text": ", ".join(found) or "nobody"}]}


def answer(method, params):
    """The result of a request; None where the method is unknown."""
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "graph", "version": "1.0.0"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(params["name"], params.get("arguments", {}))
    if method == "ping":
        return {}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = answer(request["method"], request.get("params", {}))
    reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "unknown method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}), flush=True)
