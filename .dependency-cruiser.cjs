// Who may import whom (docs/path.md draws the line). A new folder of the backend joins `order` at its place.
const inside = (...folders) => folders.map((folder) => `^backend/${folder}(/|\\.ts$)`).join('|')

// From left to right, never back.
const order = ['dashboard', 'tools', 'contacts', 'campaigns', 'calls', 'webhooks']
const neverBack = order.slice(1).map((folder, index) => ({
  name: `${folder}-imports-nothing-to-its-left`,
  severity: 'error',
  from: { path: inside(folder) },
  to: { path: inside(...order.slice(0, index + 1)) },
}))

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'connector-knows-no-backend',
      comment: 'What ships to Zapier imports nothing of the backend and no zod.',
      severity: 'error',
      from: { path: '^(src/|index\\.ts$)' },
      to: { path: '^backend/|node_modules/(zod|@outdial/backend)/' },
    },
    {
      name: 'connector-takes-types-of-the-contract',
      severity: 'error',
      from: { path: '^(src/|index\\.ts$)' },
      to: { path: '^contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'contract-imports-zod-alone',
      severity: 'error',
      from: { path: '^contract/' },
      to: { pathNot: '^contract/|node_modules/zod/' },
    },
    ...neverBack,
    {
      name: 'calls-reach-webhooks-by-the-outbox',
      severity: 'error',
      from: { path: inside('calls') },
      to: { path: '^backend/webhooks/', pathNot: '^backend/webhooks/(outbox|sign)\\.ts$' },
    },
    {
      name: 'runtime-reaches-everything-over-http',
      severity: 'error',
      from: { path: inside('runtime') },
      to: { path: '^backend/', pathNot: '^backend/(runtime/|version\\.ts$)' },
    },
    {
      name: 'knowledge-and-spreadsheets-are-leaves',
      severity: 'error',
      from: { path: inside('knowledge', 'spreadsheets') },
      to: { path: inside(...order) },
    },
    {
      name: 'views-is-a-leaf',
      severity: 'error',
      from: { path: inside('views') },
      to: { path: '^backend/', pathNot: '^backend/views/' },
    },
    {
      name: 'assemblers-are-imported-by-nobody',
      severity: 'error',
      from: { path: '^backend/', pathNot: '^backend/(main|start|app|routes|openapi|test/|admin/)' },
      to: { path: '^backend/(main|start|app|routes)\\.ts$' },
    },
    {
      name: 'tests-are-imported-by-tests',
      severity: 'error',
      from: { pathNot: '(^|/)test/' },
      to: { path: '(^|/)test/' },
    },
    {
      name: 'examples-know-the-contract-alone',
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
