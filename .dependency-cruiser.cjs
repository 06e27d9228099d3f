const { groups, foldersOf, layers, pathOf } = require('./scripts/backend-folders.cjs')

const folders = layers.flat()
const inGroup = (...names) => `^backend/(${names.join('|')})/`

/** Returns a pattern for the files of a folder. It leaves out inner folders that are listed separately. */
function patternOf(name) {
  const inner = foldersOf[name] ?? []
  return inner.length === 0 ? `^${pathOf(name)}/` : `^${pathOf(name)}/(?!(${inner.join('|')})/)`
}

const inside = (...names) => names.map(patternOf).join('|')

const storesOf = (name) => `${patternOf(name)}.*-store\\.ts$`

/** Returns rules that forbid each name to import the other names on its own line and all names on the lines above. */
const onlyLower = (kind, lines, toPath) =>
  lines.flatMap((names, index) =>
    names.flatMap((name) => {
      const others = lines
        .slice(0, index + 1)
        .flat()
        .filter((other) => other !== name)
      if (others.length === 0) return []
      const [from, to] = [{ path: toPath(name) }, { path: toPath(...others) }]
      return [{ name: `${name}-imports-only-lower-${kind}`, severity: 'error', from, to }]
    }),
  )

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...onlyLower('groups', groups, inGroup),
    ...onlyLower('folders', layers, inside),
    {
      name: 'every-folder-has-a-layer',
      severity: 'error',
      from: { path: '^backend/[^/]+/', pathNot: [inside(...folders), '^backend/(test|node_modules)/'] },
      to: {},
    },
    // Other folders call a folder's operations, not its SQL.
    ...folders.map((name) => ({
      name: `stores-of-${name}-belong-to-it`,
      severity: 'error',
      from: { path: '^backend/[^/]+/', pathNot: [inside(name), '^backend/test/'] },
      to: { path: storesOf(name) },
    })),
    {
      name: 'commands-import-no-pages',
      comment: 'What pages and admin commands share is in the module that it belongs to.',
      severity: 'error',
      from: { path: inside('admin') },
      to: { path: inside('dashboard') },
    },
    {
      name: 'only-telephony-knows-its-providers',
      comment: 'Other folders use calling/telephony/provider.ts, choose-providers.ts, and all-providers.ts.',
      severity: 'error',
      from: { path: '^backend/', pathNot: '^backend/(calling/telephony|test)/' },
      to: { path: '^backend/calling/telephony/[^/]+/' },
    },
    {
      name: 'only-servers-use-http',
      comment: 'What a request means is decided without the frame of the server.',
      severity: 'error',
      from: {
        path: inside('agents', 'contacts', 'knowledge', 'sign-in', 'spreadsheets', 'telephony'),
        pathNot: 'report-route\\.ts$',
      },
      to: { path: inside('http') },
    },
    {
      name: 'campaigns-know-no-markup',
      severity: 'error',
      from: { path: inside('campaigns') },
      to: { path: inside('views') },
    },
    {
      name: 'plumbing-knows-no-domain',
      severity: 'error',
      from: { path: inside('http', 'outbound', 'views') },
      to: { path: inside(...folders), pathNot: inside('http', 'outbound', 'views', 'core', 'db', 'secrets') },
    },
    {
      name: 'calls-reach-webhooks-through-the-outbox',
      severity: 'error',
      from: { path: inside('calls') },
      to: { path: inside('webhooks'), pathNot: '^backend/webhooks/outbox\\.ts$' },
    },
    {
      name: 'only-main-and-tests-assemble',
      severity: 'error',
      from: { path: '^backend/', pathNot: '^backend/((main|start|app|workers)\\.ts$|test/|admin/)' },
      to: { path: '^backend/(main|start|app|workers|open-deps)\\.ts$' },
    },
    {
      name: 'sentences-of-the-api-are-in-the-catalog',
      comment: 'ApiError takes only texts of contract/error-texts.ts. FormError takes any.',
      severity: 'error',
      from: {
        path: `${inside('api', 'mcp', 'dialer', 'oauth', 'http', 'contacts', 'campaigns', 'calls', 'webhooks', 'outbound', 'secrets', 'telephony')}|^backend/platform/core/|^backend/tools/(kinds|json-schema)/`,
        pathNot: '^backend/queue/contacts/import/|^backend/platform/core/validate-rules\\.ts$',
      },
      to: { path: '^backend/platform/core/form-errors\\.ts$' },
    },
    {
      name: 'connector-imports-no-backend-and-no-zod',
      severity: 'error',
      from: { path: '^(src/|index\\.ts$)' },
      to: { path: '^backend/|node_modules/(zod|@outdial/backend)/' },
    },
    {
      name: 'connector-imports-only-types-of-the-contract',
      severity: 'error',
      from: { path: '^(src/|index\\.ts$)' },
      to: { path: '^contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'contract-imports-only-zod',
      severity: 'error',
      from: { path: '^contract/' },
      to: { pathNot: '^contract/|node_modules/zod/' },
    },
    {
      name: 'reading-imports-nothing',
      comment: "The connector's upload includes it.",
      severity: 'error',
      from: { path: '^reading/' },
      to: { pathNot: '^reading/' },
    },
    {
      name: 'support-imports-nothing-of-the-project',
      comment: 'What the demo, the benchmarks, and the tests share.',
      severity: 'error',
      from: { path: '^support/' },
      to: { path: '^(backend|contract|reading|src|demo|bench|crash-test|examples)/|(^|/)test/' },
    },
    {
      name: 'support-is-not-part-of-the-product',
      severity: 'error',
      from: { path: '^(backend|contract|reading|src|examples)/|^index\\.ts$', pathNot: '^backend/test/' },
      to: { path: '^support/' },
    },
    {
      name: 'tests-are-imported-by-tests',
      severity: 'error',
      from: { pathNot: '(^|/)test/' },
      to: { path: '(^|/)test/' },
    },
    {
      name: 'examples-import-only-the-contract',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(backend|src|demo)/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|build)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
