import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from '@jest/globals'
import { ESLint } from 'eslint'
import { startFakeModel } from '../../../../examples/fake-model/server.ts'
import { loadModelPackages } from '../../../calling/conversation/model/packages.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Runs code in another process, and returns the files of the model packages that it loads. */
function listLoadedPackages(code: string): string[] {
  const script = `import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        if (/node_modules\\/(ai|@ai-sdk)\\//.test(url)) console.log(url)
        return next(url, context)
      },
    })
    ${code}`
  const args = ['--input-type=module', '--eval', script]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.split('\n').filter(Boolean)
}

it('loads the model packages only when a client is opened', () => {
  const file = './backend/calling/conversation/model/model-client.ts'
  const importing = `const { openModelClient } = await import('${file}')`
  expect(listLoadedPackages(importing)).toEqual([])
  const settings = `{ url: 'http://127.0.0.1:1/v1', models: ['a'], tokensPerDay: 0 }`
  const opening = `${importing}; await openModelClient({ log: {}, clock: {} }, ${settings})`
  expect(listLoadedPackages(opening)).not.toEqual([])
})

it('when requests to a model fail, nothing is written to stdout or stderr', async () => {
  const model = await startFakeModel()
  try {
    const code = `const { openModelClient } = await import('./backend/calling/conversation/model/model-client.ts')
      const { systemClock } = await import('./backend/platform/core/clock.ts')
      const settings = { url: '${model.url}', models: ['outdial-fake:500', 'outdial-fake:cut', 'outdial-fake:malformed'] }
      const client = await openModelClient({ log: { warn() {} }, clock: systemClock }, settings)
      const messages = [{ role: 'user', content: 'My number is +12025550123' }]
      const { signal } = new AbortController()
      for (const model of settings.models) {
        for await (const part of client.streamTurn({ model, instructions: 'Hi', messages, tools: [], signal })) void part
      }
      await client.close()`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { cwd: root })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect([stdout, stderr]).toEqual(['', ''])
    expect(model.requests).toHaveLength(3)
  } finally {
    await model.close()
  }
})

it("logs that a model package reported a warning, but not the warning's text", async () => {
  const lines: unknown[][] = []
  await loadModelPackages({ warn: (...args: unknown[]) => void lines.push(args) })
  const log = globalThis.AI_SDK_LOG_WARNINGS
  if (typeof log !== 'function') throw new Error('no logger is set')
  log({ warnings: [{ type: 'other', message: 'about +12025550123' }] })
  expect(lines).toEqual([[{ warning: 'other' }, 'a model package reported a warning']])
})

it.each([
  ["streamText({ model: 'gpt-5', prompt: 'Hi' })", 1],
  ['packages.generateText({ model: `gpt-${version}`, prompt: "Hi" })', 1],
  ['streamText({ model: endpoint.getModel(), prompt: "Hi" })', 0],
  ["streamTurn({ model: 'gpt-5' })", 0],
])(
  "the linter rejects a model's name as an argument to a model package, but not a model object: %s",
  async (code, count) => {
    const eslint = new ESLint({
      cwd: root,
      ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-syntax',
      // Loading types takes seconds, and this rule doesn't need them.
      overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    })
    const [result] = await eslint.lintText(code, {
      filePath: 'backend/calling/conversation/model/analyze.ts',
    })
    expect(result?.messages.map(({ ruleId }) => ruleId)).toEqual(Array(count).fill('no-restricted-syntax'))
  },
)
