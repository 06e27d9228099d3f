import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import pino from 'pino'
import { parseConfig } from '../../config.ts'
import { openRuntimeSecrets } from '../../platform/secrets/runtime-secrets.ts'
import { useTestFolder } from '../support/folder.ts'
import { waitUntil } from '../support/wait.ts'

const log = pino({ level: 'silent' })
const [one, two] = ['the-first-secret-of-these-tests-00001', 'the-second-secret-of-these-tests-0002']

const folder = useTestFolder()

const open = async (environment: Record<string, string>, dataDir?: string) =>
  (await openRuntimeSecrets(parseConfig(environment), dataDir, log)).list()

it('creates a secret in DATA_DIR, in a file that only its owner can read, and reuses it at the next start', async () => {
  const createdSecrets = await open({}, folder.path)
  expect(createdSecrets).toEqual([expect.stringMatching(/^.{32,}$/)])
  expect(await open({}, folder.path)).toEqual(createdSecrets)
  expect((await stat(path.join(folder.path, 'runtime-secret'))).mode & 0o777).toBe(0o600)
})

it('uses only the secrets in RUNTIME_SECRET, and none from DATA_DIR', async () => {
  expect(await open({ RUNTIME_SECRET: `${one}, ${two}` }, '/nowhere')).toEqual([one, two])
})

it('reads the secrets in RUNTIME_SECRET_FILE, separated by line breaks or commas', async () => {
  const file = path.join(folder.path, 'several')
  await writeFile(file, `${one}\n\n ${two},${one}x\n`)
  expect(await open({ RUNTIME_SECRET_FILE: file }, '/nowhere')).toEqual([one, two, `${one}x`])
})

it.each([
  [
    'no secret and an external database',
    {},
    /^RUNTIME_SECRET is not set. It's required when DATABASE_URL is set.* at least 32 random/,
  ],
  ['a short secret', { RUNTIME_SECRET: `${one},short` }, /^RUNTIME_SECRET must have at least 32 characters/],
  ['a missing file', { RUNTIME_SECRET_FILE: '/no/where' }, /^\/no\/where can't be read \(ENOENT\)/],
  [
    'a file without a secret',
    { RUNTIME_SECRET_FILE: '/dev/null' },
    /^\/dev\/null must contain runtime secrets/,
  ],
  [
    'both RUNTIME_SECRET and RUNTIME_SECRET_FILE',
    { RUNTIME_SECRET: one, RUNTIME_SECRET_FILE: '/x' },
    /^RUNTIME_SECRET and RUNTIME_SECRET_FILE are both/,
  ],
])('stops startup with an error for %s', async (_, environment: Record<string, string>, sentence) => {
  await expect(open(environment)).rejects.toThrow(sentence)
})

it('keeps the previous secrets if the new content of a file is invalid', async () => {
  const file = path.join(folder.path, 'followed')
  await writeFile(file, one)
  const logLines: string[] = []
  const capturingLog = pino({ level: 'info' }, { write: (line) => void logLines.push(line) })
  const secrets = await openRuntimeSecrets(
    parseConfig({ RUNTIME_SECRET_FILE: file }),
    undefined,
    capturingLog,
  )
  const following = secrets.watch(() => logLines.push('changed'))
  await writeFile(file, 'too short')
  await waitUntil(() => logLines.some((line) => line.includes('must contain runtime secrets')))
  expect(secrets.list()).toEqual([one])
  await writeFile(file, two)
  await waitUntil(() => logLines.includes('changed'))
  expect(secrets.list()).toEqual([two])
  expect(logLines.join()).not.toMatch(new RegExp(`too short|${one}|${two}`))
  following.stop()
})

it('notices a change between the first read of a file and the start of watching it', async () => {
  const file = path.join(folder.path, 'early')
  await writeFile(file, one)
  const secrets = await openRuntimeSecrets(parseConfig({ RUNTIME_SECRET_FILE: file }), undefined, log)
  await writeFile(file, two)
  const changed = new Promise<void>((resolve) => {
    const following = secrets.watch(() => {
      following.stop()
      resolve()
    })
  })
  await changed
  expect(secrets.list()).toEqual([two])
})
