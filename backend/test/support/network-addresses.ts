/** Different spellings of addresses that lead to this machine. */
export const loopbackSpellings = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '017700000001',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[::127.0.0.1]',
  'localhost',
  'localhost.',
]

/** Private, link-local, shared (RFC 6598), and unspecified addresses. They're blocked even if loopback is allowed. */
export const blockedAddresses = [
  '10.0.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '[fd00::1]',
  '[fe80::1]',
]
