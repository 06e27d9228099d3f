import { cruise } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import config from '../.dependency-cruiser.cjs'
import { foldersOf } from './backend-folders.cjs'

// If dependency-cruiser can't read TypeScript, it finds no modules and reports no violations. So the modules are counted below.
const { options, forbidden } = config
const { output } = await cruise(
  [
    'index.ts',
    'src',
    'contract',
    'reading',
    'backend',
    'support',
    'demo',
    'bench',
    'crash-test',
    'examples',
    'scripts',
    'test',
  ],
  { ...options, ruleSet: { forbidden }, validate: true, outputType: 'json' },
  undefined,
  { tsConfig: extractTSConfig(options.tsConfig.fileName) },
)
const { summary, modules } = JSON.parse(output)
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`)
if (summary.totalCruised < 40) {
  console.error(
    `Only ${summary.totalCruised} modules were found. Check that dependency-cruiser can read TypeScript.`,
  )
  process.exit(1)
}
if (summary.violations.length > 0) process.exit(1)

/** Counts the pairs of folders in which one imports the other. Fails if both import each other. */
function countPairs(kind, toFolder) {
  const pairs = new Set()
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [toFolder(source), toFolder(resolved)]
      if (from !== undefined && to !== undefined && from !== to) pairs.add(`${from} → ${to}`)
    }
  }
  const mutual = [...pairs].filter((pair) => pairs.has(pair.split(' → ').reverse().join(' → ')))
  if (mutual.length > 0) {
    console.error(`These ${kind} import each other: ${mutual.join(', ')}`)
    process.exit(1)
  }
  return pairs.size
}

const groupOf = (file) => /^backend\/(?!test\/|node_modules\/)([^/]+)\//.exec(file)?.[1]

function folderOf(file) {
  const group = groupOf(file)
  const inner = foldersOf[group]?.find((name) => file.startsWith(`backend/${group}/${name}/`))
  return inner === undefined ? group : `${group}/${inner}`
}

const groupPairs = countPairs('groups', groupOf)
const folderPairs = countPairs('folders', folderOf)
console.log(
  `The imports of ${summary.totalCruised} modules follow the rules. In backend/, ${groupPairs} pairs of groups and ${folderPairs} pairs of folders depend on each other, all in one direction.`,
)
