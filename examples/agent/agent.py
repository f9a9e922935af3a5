"""A small agent, so that the example needs no model: it does what its system prompt says, with the tools of its servers."""

import json
import os
import re
import subprocess
import sys


def tell(**event):
    """An event, as docs/agents.md lists them."""
    print(json.dumps(event), flush=True)


class Server:
    """A server of tools over stdio."""

    def __init__(self, name, command, env):
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **env}
        )
        self.asked = 0
        version = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "example", "version": "1"}}
        self.ask("initialize", version)

    def ask(self, method, params):
        self.asked += 1
        request = {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, tool, arguments):
        name = f"mcp__{self.name}__{tool}"
        tell(type="tool_call", id=str(self.asked), name=name, arguments=arguments)
        call = str(self.asked)
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        output = "\n".join(part["text"] for part in result["content"])
        tell(type="tool_result", id=call, output=output, is_error=result.get("isError", False))
        return output


settings = json.loads(os.environ["REGRADE_AGENT"])
servers = [Server(each["name"], each["command"], each["env"]) for each in settings["mcp_servers"]]
tools = [f"mcp__{each.name}__{tool['name']}" for each in servers for tool in each.ask("tools/list", {})["tools"]]
states = [{"name": each.name, "status": "connected"} for each in servers]
tell(type="session", runtime="example", version="1", model=settings.get("model"), tools=tools, mcp_servers=states)

question = sys.stdin.read()
name = re.search(r"`(\w+)`", question)[1]
if servers and "look it up" in settings.get("system_prompt", "").lower():
    answer = servers[0].call("callers", {"name": name})
else:
    answer = "main"  # What most functions are called by, as far as it knows.
for server in servers:
    server.process.stdin.close()
    server.process.wait()
usage = {"input_tokens": len(question.split()), "output_tokens": len(answer.split())}
tell(type="answer", output_text=answer, usage=usage)
