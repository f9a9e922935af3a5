import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "./tools.ts";

/** `node stdio-server.ts serve`, or `reject`: it speaks the revision of 2026 alone. */
serveStdio(createServer, { legacy: process.argv[2] === "reject" ? "reject" : "serve" });
