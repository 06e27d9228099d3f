import ipaddr from 'ipaddr.js'

/**
 * Checks whether requests may be sent to an IP address, in any notation. Only public addresses are permitted, and
 * loopback addresses with `allowLoopback`. Addresses that can't be parsed are rejected.
 */
export function isPermittedAddress(address: string, allowLoopback: boolean): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = unwrapNat64(ipaddr.process(address))
  const range = parsed.range()
  if (range === 'loopback') return allowLoopback
  return range === 'unicast' && (parsed.kind() === 'ipv4' || isGlobalIPv6(parsed.toByteArray()))
}

const nat64 = ipaddr.IPv6.parse('64:ff9b::')

/** Returns the IPv4 address that a NAT64 address (RFC 6052) embeds, and any other address unchanged. */
function unwrapNat64(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6) || !address.match(nat64, 96)) return address
  return ipaddr.fromByteArray(address.toByteArray().slice(12))
}

/** Checks for 2000::/3 (RFC 4291, section 2.4). `range` also returns unicast for others, such as ::127.0.0.1. */
const isGlobalIPv6 = ([first = 0]: number[]) => first >> 5 === 1

/** Checks whether a host is localhost or a subdomain of it (RFC 6761, section 6.3). */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host)
