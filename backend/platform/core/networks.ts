import ipaddr from 'ipaddr.js'

/** The network of all invalid addresses. Otherwise, a client that makes up addresses would count as many networks. */
const unknownNetwork = 'unknown'

export const isAddress = (address: string): boolean => ipaddr.isValid(address)

/**
 * Returns the two networks by which requests from an address are counted. For IPv6, they're the first 64 bits and the first 48
 * bits, because one site can have all addresses with the same 48 bits (RFC 6177). For IPv4, both are the address itself.
 */
export function toNetworks(ip: string): [network: string, site: string] {
  if (!isAddress(ip)) return [unknownNetwork, `site ${unknownNetwork}`]
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return [address.toString(), `site ${address.toString()}`]
  const bytes = address.toByteArray()
  return [bytes.slice(0, 8).join('.'), `site ${bytes.slice(0, 6).join('.')}`]
}

/** Formats an address's network for people to read: the IPv4 address, or the first 64 bits of an IPv6 address. */
export function formatNetwork(ip: string): string {
  if (!isAddress(ip)) return unknownNetwork
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv4'
    ? address.toString()
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`
}
