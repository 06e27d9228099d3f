import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

// `npm run mutation [-- --mutate src/errors.ts]` finds changes to the connector that no test notices.
const root = fileURLToPath(new URL('..', import.meta.url))
const stryker = 'mutation/node_modules/@stryker-mutator/core/bin/stryker.js'
const { status } = spawnSync(
  process.execPath,
  [stryker, 'run', 'mutation/stryker.config.mjs', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, OUTDIAL_TEST_NEW_SOURCES: '1' } },
)
process.exitCode = status ?? 1
