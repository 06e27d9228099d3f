// Which folder of backend/ may import which: only folders on lower lines, so no two folders import each other. Add new ones here.

// The groups of folders, which are the folders that backend/ shows.
const groups = [
  ['admin', 'service'],
  ['dashboard'],
  ['privacy'],
  ['api'],
  ['calling', 'tools'],
  ['queue'],
  ['accounts'],
  ['webhooks'],
  ['platform'],
]

// The folders in the groups. A group that has code of its own is one of them, without its folders.
const foldersOf = {
  accounts: ['access', 'identity', 'oauth', 'sign-in'],
  calling: ['dialer', 'telephony'],
  dashboard: ['stories'],
  platform: ['core', 'db', 'http', 'idempotency', 'outbound', 'replicas', 'secrets', 'views'],
  queue: ['agents', 'calls', 'campaigns', 'contacts', 'phone-numbers', 'rules', 'scheduling'],
  service: ['demo', 'metrics'],
  tools: ['knowledge', 'mcp', 'onboarding', 'spreadsheets'],
}
const layers = [
  ['admin'],
  ['dashboard', 'demo', 'metrics'],
  ['access', 'onboarding', 'privacy', 'stories'],
  ['api', 'mcp'],
  ['dialer', 'oauth', 'phone-numbers', 'tools'],
  ['agents', 'contacts', 'knowledge', 'sign-in', 'spreadsheets', 'telephony'],
  ['campaigns', 'http'],
  ['views'],
  ['calls'],
  ['rules'],
  ['identity', 'scheduling', 'webhooks'],
  ['idempotency', 'outbound', 'replicas'],
  ['secrets'],
  ['db'],
  ['core'],
]

module.exports = { groups, foldersOf, layers }
