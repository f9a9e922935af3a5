import { describe, expect, it } from "vitest";
import { isOwnName, whyNotPublic } from "../../src/io/http/addresses.ts";

describe("an address that data may come from", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.15.255.255",
    "172.32.0.1",
    "169.253.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
  ])("%s is public", (address) => {
    expect(whyNotPublic(address)).toBeUndefined();
  });

  it.each([
    ["127.0.0.1", "this machine's own"],
    ["127.255.255.254", "this machine's own"],
    ["0.0.0.0", "this machine's own"],
    ["10.1.2.3", "private network"],
    ["172.16.0.1", "private network"],
    ["172.31.255.255", "private network"],
    ["192.168.1.1", "private network"],
    ["100.64.0.1", "provider's private network"],
    ["169.254.169.254", "metadata"],
    ["168.63.129.16", "the cloud's own host"],
    ["192.0.0.192", "reserved"],
    ["198.18.0.1", "reserved"],
    ["224.0.0.1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["::1", "this machine's own"],
    ["::", "this machine's own"],
    ["fe80::1", "metadata"],
    ["fe80::1%eth0", "metadata"],
    ["fd00:ec2::254", "private network"],
    ["fec0::1", "private network"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::ffff:7f00:1", "127.0.0.1"],
    ["::ffff:a9fe:a9fe", "169.254.169.254"],
    ["::127.0.0.1", "127.0.0.1"],
    ["64:ff9b::7f00:1", "127.0.0.1"],
    ["64:ff9b:1::1", "reserved"],
    ["2002:7f00:1::", "tunnel"],
    ["2001:0:1::", "tunnel"],
    ["4000::1", "reserved"],
    ["nonsense", "no address"],
  ])("%s is refused: %s", (address, why) => {
    expect(whyNotPublic(address)).toContain(why);
  });

  it.each(["localhost", "localhost.", "LocalHost", "a.b.localhost", "a.localhost."])(
    "%s is this machine by its name",
    (name) => {
      expect(isOwnName(name)).toBe(true);
    },
  );

  it.each(["localhost.com", "notlocalhost", "huggingface.co"])("%s is another's", (name) => {
    expect(isOwnName(name)).toBe(false);
  });
});
