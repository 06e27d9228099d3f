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
  if (range !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4
    ? !isPlatformAddress(parsed)
    : isGlobalIPv6(parsed) && !isIsatap(parsed)
}

const nat64 = ipaddr.IPv6.parse('64:ff9b::')

/** Returns the IPv4 address that a NAT64 address (RFC 6052) embeds, and any other address unchanged. */
function unwrapNat64(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6) || !address.match(nat64, 96)) return address
  return ipaddr.fromByteArray(address.toByteArray().slice(12))
}

/** Checks for 2000::/3 (RFC 4291, section 2.4). `range` returns unicast for other addresses, too, such as ::127.0.0.1. */
const isGlobalIPv6 = (address: ipaddr.IPv6): boolean => (address.toByteArray()[0] ?? 0) >> 5 === 1

/** Checks for an interface ID that embeds an IPv4 address, which may be private (ISATAP, RFC 5214, section 6.1). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  const [high = 0, low] = parts.slice(4)
  return (high & ~0x0200) === 0 && low === 0x5efe
}

/** Checks for the public address at which every virtual machine in Azure reaches the platform's services. */
const isPlatformAddress = (address: ipaddr.IPv4): boolean => address.toString() === '168.63.129.16'

/** Checks whether a host is localhost or a subdomain of it (RFC 6761, section 6.3). */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host)
