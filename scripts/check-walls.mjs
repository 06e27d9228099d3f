import { cruise } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import config from '../.dependency-cruiser.cjs'

// If dependency-cruiser can't read TypeScript, it finds no modules and passes silently, so they're counted below.
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
const { summary } = JSON.parse(output)
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`)
if (summary.totalCruised < 40) {
  console.error(
    `Only ${summary.totalCruised} modules were found. Check that dependency-cruiser can read TypeScript.`,
  )
  process.exit(1)
}
if (summary.violations.length > 0) process.exit(1)
console.log(`The imports of ${summary.totalCruised} modules follow the rules.`)
