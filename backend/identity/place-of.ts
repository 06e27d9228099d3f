import ipaddr from 'ipaddr.js'

/**
 * What tries are counted by: an IPv4 address, or the first 64 bits of an IPv6 one, since whoever has one has all
 * addresses that begin so (RFC 6177).
 */
export function toNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return address.toByteArray().slice(0, 8).join('.')
}
