import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { unzip } from '../backend/tools/knowledge/parse/zip.ts'
import { buildSourcePackage, writeSourcePackage } from './upload/source-package.ts'

// Builds the files that `zapier-platform upload` sends, in a separate folder. In the repository, source.zip would contain
// everything that .gitignore doesn't list, such as the backend, the tests, and a database. The project's own dist/ stays
// unchanged, so that commands such as `zapier-platform invoke` can use it meanwhile.
const root = path.resolve(import.meta.dirname, '..')
const stage = await mkdtemp(path.join(tmpdir(), 'outdial-upload-'))
const clean = await mkdtemp(path.join(tmpdir(), 'outdial-source-'))
const env = { ...process.env, DISABLE_ZAPIER_ANALYTICS: '1', NO_UPDATE_NOTIFIER: '1' }
const cli = path.join(root, 'node_modules/zapier-platform-cli/src/bin/run')

const uploads = [
  {
    zip: 'build.zip',
    // Zapier's core takes 650,000 bytes, and the names of countries and time zones take 25,000.
    maxBytes: 720_000,
    needs: ['dist/index.js', 'definition.json', 'package.json', 'zapierwrapper.js'],
    only: /^(dist\/index\.js$|node_modules\/(?!zod\/|@outdial\/)|(definition|package)\.json$|zapierwrapper\.m?js$)/,
  },
  {
    zip: 'source.zip',
    // The lock file takes a third of this size, and the names of countries in seven languages take a tenth.
    maxBytes: 130_000,
    needs: [
      'index.ts',
      'src/client.ts',
      'contract/index.ts',
      'reading/index.ts',
      'scripts/build.mjs',
      'package-lock.json',
    ],
    only: /^(src\/.+\.ts|(contract|reading)\/[^/]+\.ts|index\.ts|scripts\/build\.mjs|tsconfig\.json|package(-lock)?\.json|\.zapierapprc|\.gitignore)$/,
  },
] as const

/** Runs a command in the separate folder. */
function run(command: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: stage,
    env,
    encoding: 'utf8',
    shell: command === 'npm' && process.platform === 'win32',
  })
  if (status === 0) return
  console.error(`${stdout}${stderr}`)
  throw new Error(`\`${path.basename(command)} ${args.join(' ')}\` failed.`)
}

/** Unpacks a built ZIP file in memory. Checks its size, that it has all needed files, and that it has no others. */
async function readUpload({ zip, maxBytes, needs, only }: (typeof uploads)[number]) {
  const content = await readFile(path.join(stage, 'build', zip))
  const files = unzip(content, () => true)
  const names = [...files.keys()]
  const unexpected = names.filter((name) => !only.test(name))
  const missing = needs.filter((name) => !files.has(name))
  if (unexpected.length > 0)
    throw new Error(`${zip} has files that must not be uploaded: ${unexpected.join(', ')}`)
  if (missing.length > 0) throw new Error(`${zip} lacks ${missing.join(', ')}`)
  if (content.length > maxBytes) throw new Error(`${zip} has ${content.length} bytes, more than ${maxBytes}.`)
  return { zip, content, files }
}

try {
  await writeSourcePackage(stage)
  // The lock file makes npm install the versions that the tests used. This command also removes all other packages from the
  // lock file.
  run('npm', ['install', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'])
  run(process.execPath, [path.join(root, 'scripts/build.mjs')])
  // Checks the structure here, because the build below skips all checks.
  run(process.execPath, [cli, 'validate', '--without-style'])
  run(process.execPath, [cli, 'build', '--skip-dep-install', '--skip-validation'])

  const [build, source] = await Promise.all(uploads.map(readUpload))
  for (const [name, bytes] of source?.files ?? []) {
    await mkdir(path.dirname(path.join(clean, name)), { recursive: true })
    await writeFile(path.join(clean, name), bytes)
  }
  const bundle = Buffer.from(build?.files.get('dist/index.js') ?? []).toString()
  if ((await buildSourcePackage(clean)) !== bundle)
    throw new Error("source.zip doesn't build the dist/index.js of build.zip.")

  await mkdir(path.join(root, 'build'), { recursive: true })
  for (const { zip, content, files } of [build, source].filter((upload) => upload !== undefined)) {
    await writeFile(path.join(root, 'build', zip), content)
    console.log(`build/${zip}: ${files.size} files, ${Math.ceil(content.length / 1024)} KB`)
  }
} finally {
  await rm(stage, { recursive: true, force: true })
  await rm(clean, { recursive: true, force: true })
}
