/** A file of its own in dist/, read with the first request: it is as large as all else together. */
export { Agent, EnvHttpProxyAgent, request } from "undici";
