import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import pino from 'pino'
import { parseConfig } from '../../config.ts'
import { openRuntimeSigningKeys } from '../../platform/secrets/runtime-signing-keys.ts'
import { newWebhookSecret } from '../../platform/secrets/tokens.ts'
import { useTestFolder } from '../support/folder.ts'
import { waitUntil } from '../support/wait.ts'

const log = pino({ level: 'silent' })
const [one, two] = [newWebhookSecret(), newWebhookSecret()]

const folder = useTestFolder()

const open = (environment: Record<string, string>) =>
  openRuntimeSigningKeys(
    parseConfig({ TELEPHONY: 'http', RUNTIME_URL: 'https://runtime.example.com', ...environment }),
    log,
  )

it('uses the keys in RUNTIME_SIGNING_KEY', async () => {
  expect((await open({ RUNTIME_SIGNING_KEY: `${one}, ${two}` })).list()).toEqual([one, two])
})

it('reads the keys in RUNTIME_SIGNING_KEY_FILE, and reads them again when the file changes', async () => {
  const file = path.join(folder.path, 'signing-keys')
  await writeFile(file, `${one}\n`)
  const source = await open({ RUNTIME_SIGNING_KEY_FILE: file })
  const watching = source.watch(() => {})
  expect(source.list()).toEqual([one])
  await writeFile(file, `${two}\n${one}\n`)
  await waitUntil(() => source.list().join() === [two, one].join())
  watching.stop()
})

it("doesn't require a key if no agent runtime is configured", async () => {
  expect((await openRuntimeSigningKeys(parseConfig({}), log)).list()).toEqual([])
})

it.each([
  ['no key', {}, /^TELEPHONY=http needs RUNTIME_SIGNING_KEY/],
  [
    'a key without the prefix',
    { RUNTIME_SIGNING_KEY: one.slice(6) },
    /^RUNTIME_SIGNING_KEY must start with whsec_/,
  ],
  [
    'a short key',
    { RUNTIME_SIGNING_KEY: `${one},whsec_c2hvcnQ=` },
    /^RUNTIME_SIGNING_KEY must start with whsec_/,
  ],
  [
    'a file without a key',
    { RUNTIME_SIGNING_KEY_FILE: '/dev/null' },
    /^\/dev\/null must contain runtime signing keys/,
  ],
  [
    'both RUNTIME_SIGNING_KEY and RUNTIME_SIGNING_KEY_FILE',
    { RUNTIME_SIGNING_KEY: one, RUNTIME_SIGNING_KEY_FILE: '/x' },
    /^RUNTIME_SIGNING_KEY and RUNTIME_SIGNING_KEY_FILE are both set/,
  ],
])('stops startup with an error for %s', async (_, environment: Record<string, string>, sentence) => {
  await expect(Promise.resolve().then(() => open(environment))).rejects.toThrow(sentence)
})
