import ipaddr from 'ipaddr.js'

/** Addresses that aren't valid share one network. Otherwise, a client with many of them would have many networks. */
const unknownNetwork = 'unknown'

export const isAddress = (address: string): boolean => ipaddr.isValid(address)

/**
 * Returns the networks that requests from an address are counted by: the first 64 and 48 bits of an IPv6 address, because
 * one site has all addresses that start with them (RFC 6177), or the IPv4 address under two keys.
 */
export function toNetworks(ip: string): [network: string, site: string] {
  if (!isAddress(ip)) return [unknownNetwork, `site ${unknownNetwork}`]
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return [address.toString(), `site ${address.toString()}`]
  const bytes = address.toByteArray()
  return [bytes.slice(0, 8).join('.'), `site ${bytes.slice(0, 6).join('.')}`]
}

/** Returns an address's network for people: the IPv4 address, or the first 64 bits of an IPv6 address. */
export function formatNetwork(ip: string): string {
  if (!isAddress(ip)) return unknownNetwork
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv4'
    ? address.toString()
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`
}
