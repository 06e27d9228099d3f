import ipaddr from 'ipaddr.js'

/**
 * Whether a delivery may be made to an IP address, given in any spelling: to public ones alone, and to
 * loopback where the service itself runs there. What no parser reads is refused.
 */
export function isPermittedAddress(address: string, allowLoopback: boolean): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = unwrapNat64(ipaddr.process(address))
  const range = parsed.range()
  if (range === 'loopback') return allowLoopback
  return range === 'unicast' && (parsed.kind() === 'ipv4' || isGlobalIPv6(parsed.toByteArray()))
}

const nat64 = ipaddr.IPv6.parse('64:ff9b::')

/** Behind NAT64 (RFC 6052) every IPv4 host has such an address: what it embeds decides. */
function unwrapNat64(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6) || !address.match(nat64, 96)) return address
  return ipaddr.fromByteArray(address.toByteArray().slice(12))
}

/** 2000::/3 (RFC 4291, 2.4). `range` calls unicast whatever it has no name for, such as ::127.0.0.1. */
const isGlobalIPv6 = ([first = 0]: number[]) => first >> 5 === 1

/** Checks whether a host is localhost or a subdomain of it (RFC 6761, section 6.3). */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host)
