import { spawnSync } from 'node:child_process'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Outdial needs Node 22.18 or newer, and this is ${process.versions.node}: install Node 24 from nodejs.org, then run npm ci again.`,
  )
  process.exit(1)
}
const jest = new URL('../node_modules/jest/bin/jest.js', import.meta.url).pathname
const { status } = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
)
process.exit(status ?? 1)
