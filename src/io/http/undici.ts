/** A separate file in dist/, loaded with the first request: it is as large as everything else together. */
export { Agent, EnvHttpProxyAgent, fetch, request } from "undici";
