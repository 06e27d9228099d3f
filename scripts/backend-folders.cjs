// The folders of backend/, in two lists. A folder may import only folders on lower lines, so no two folders import each other.
// Add each new folder here.

// The groups: the folders directly in backend/, except its tests.
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

// The folders inside each group.
const foldersOf = {
  accounts: ['access', 'identity', 'oauth', 'sign-in'],
  calling: ['chats', 'conversation', 'dialer', 'telephony'],
  dashboard: ['stories'],
  platform: ['core', 'db', 'http', 'idempotency', 'outbound', 'replicas', 'secrets', 'views'],
  queue: ['agents', 'calls', 'campaigns', 'contacts', 'phone-numbers', 'rules', 'scheduling'],
  service: ['demo', 'metrics'],
  tools: ['knowledge', 'mcp', 'onboarding', 'spreadsheets'],
}

// The order of all folders, from top to bottom. The name of a group, such as `admin`, stands for its code outside of the
// folders above. An import must be allowed by both lists.
const layers = [
  ['admin'],
  ['dashboard', 'demo', 'metrics'],
  ['access', 'onboarding', 'privacy', 'stories'],
  ['api', 'chats', 'mcp'],
  ['conversation', 'dialer', 'oauth', 'phone-numbers', 'tools'],
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

/** Returns the path of a group, or of a folder inside a group: `backend/queue/calls`. */
function pathOf(name) {
  const [group] = Object.entries(foldersOf).find(([, inner]) => inner.includes(name)) ?? []
  return group === undefined ? `backend/${name}` : `backend/${group}/${name}`
}

module.exports = { groups, foldersOf, layers, pathOf }
