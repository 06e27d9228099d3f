import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zipNames } from './zip-names.mjs'

// Builds what `zapier-platform upload` sends, in a separate folder. In the repository, source.zip would contain
// everything that .gitignore doesn't list, such as the backend, the tests, and a database.
const root = path.resolve(import.meta.dirname, '..')
const stage = await mkdtemp(path.join(tmpdir(), 'outdial-upload-'))
const env = { ...process.env, DISABLE_ZAPIER_ANALYTICS: '1', NO_UPDATE_NOTIFIER: '1' }
const cli = path.join(root, 'node_modules/zapier-platform-cli/src/bin/run')

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  if (status === 0) return
  console.error(`${stdout}${stderr}`)
  throw new Error(`\`${path.basename(command)} ${args.join(' ')}\` failed.`)
}

try {
  run('npm', ['run', '--silent', 'build'], root)
  // The build below skips all checks, including the one for the structure.
  run(process.execPath, [cli, 'validate', '--without-style'], root)

  for (const name of ['index.ts', 'src', 'dist', '.zapierapprc', 'package-lock.json']) {
    await cp(path.join(root, name), path.join(stage, name), { recursive: true })
  }
  const { name, version, license, type, exports, dependencies } = JSON.parse(
    await readFile(path.join(root, 'package.json'), 'utf8'),
  )
  const manifest = { name, version, license, private: true, type, exports, dependencies }
  await writeFile(path.join(stage, 'package.json'), JSON.stringify(manifest, null, 2))
  // With the lock file next to it, this installs the versions that the tests ran with.
  run(
    'npm',
    ['install', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'],
    stage,
  )
  await rm(path.join(stage, 'package-lock.json'))
  await writeFile(path.join(stage, '.gitignore'), 'node_modules/\nbuild/\ndist/\n')
  run(process.execPath, [cli, 'build', '--skip-dep-install', '--skip-validation'], stage)

  await mkdir(path.join(root, 'build'), { recursive: true })
  for (const { zip, maxBytes, needs, only } of [
    {
      zip: 'build.zip',
      maxBytes: 1_000_000,
      needs: ['dist/index.js', 'dist/src/client.js', 'definition.json', 'package.json'],
      only: /^(dist\/|node_modules\/(?!zod\/|@outdial\/)|(definition|package)\.json$|zapierwrapper\.m?js$)/,
    },
    {
      zip: 'source.zip',
      maxBytes: 100_000,
      needs: ['index.ts', 'src/client.ts', 'package.json'],
      only: /^(src\/|index\.ts$|package\.json$|\.zapierapprc$|\.gitignore$)/,
    },
  ]) {
    const content = await readFile(path.join(stage, 'build', zip))
    const names = zipNames(content)
    const strange = names.filter((entry) => !only.test(entry))
    const missing = needs.filter((entry) => !names.includes(entry))
    if (strange.length > 0)
      throw new Error(`${zip} has files that must not be uploaded: ${strange.join(', ')}`)
    if (missing.length > 0) throw new Error(`${zip} lacks ${missing.join(', ')}`)
    if (content.length > maxBytes)
      throw new Error(`${zip} has ${content.length} bytes, more than ${maxBytes}.`)
    await writeFile(path.join(root, 'build', zip), content)
    console.log(`build/${zip}: ${names.length} files, ${Math.ceil(content.length / 1024)} KB`)
  }
} finally {
  await rm(stage, { recursive: true, force: true })
}
