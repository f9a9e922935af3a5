import ipaddr from "ipaddr.js";

/** RFC 6761: names of this machine, whatever a name server answers. A dot at the end makes the same name. */
export function isOwnName(host: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(host);
}

/** Addresses that look public and are not: Azure's host answers each of its machines there, GitHub's runners among them. */
const hostsOfClouds = ["168.63.129.16"];

/** RFC 4291: the allocated part of IPv6. */
const globalUnicast = "2000::/3";

/**
 * The reason why an address may not be requested: it belongs to this machine, to a private network, or is reserved.
 * undefined: it is public. An IPv4 address within an IPv6 one (mapped, or translated by NAT64) counts as itself; tunnels
 * (6to4, Teredo) could lead anywhere and are refused.
 */
export function whyNotPublic(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return `${address} is no address`;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6) return whyNotPublicV6(parsed, address);
  if (hostsOfClouds.includes(parsed.toString())) return `${address} is the cloud's own host`;
  const range = parsed.range();
  return range === "unicast" ? undefined : `${address} is ${words[range] ?? "reserved"}`;
}

function whyNotPublicV6(parsed: ipaddr.IPv6, address: string): string | undefined {
  const range = parsed.range();
  if (range === "ipv4Mapped") return within(parsed.toIPv4Address().toString(), address);
  if (parsed.match(ipaddr.IPv6.parseCIDR("64:ff9b::/96"))) {
    const last = new ipaddr.IPv4(parsed.toByteArray().slice(12));
    return within(last.toString(), address);
  }
  const isGlobal = parsed.match(ipaddr.IPv6.parseCIDR(globalUnicast));
  if (isGlobal && range === "unicast") return undefined;
  return `${address} is ${words[range] ?? "reserved"}`;
}

function within(inner: string, address: string): string | undefined {
  const why = whyNotPublic(inner);
  if (why === undefined) return undefined;
  return `${address} stands for ${why.replace(" is ", ", ")}`;
}

const words: Readonly<Record<string, string>> = {
  unspecified: "this machine's own address",
  loopback: "this machine's own address",
  private: "an address of a private network",
  uniqueLocal: "an address of a private network",
  deprecatedSiteLocal: "an address of a private network",
  carrierGradeNat: "an address of a provider's private network",
  linkLocal: "a link-local address, where clouds keep their metadata",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  "6to4": "the address of a tunnel",
  teredo: "the address of a tunnel",
};
