import { afterEach, expect, it } from '@jest/globals'
import { createLog } from '../log.ts'
import { waitUntil } from './support/wait.ts'

const { NO_COLOR } = process.env
afterEach(() => {
  if (NO_COLOR === undefined) delete process.env.NO_COLOR
  else process.env.NO_COLOR = NO_COLOR
})

function collect(isTTY: boolean) {
  const lines: string[] = []
  return { lines, output: { isTTY, write: (line: string) => lines.push(line) > 0 } }
}

it("writes JSON if the output isn't a terminal", async () => {
  const { lines, output } = collect(false)
  const log = await createLog('info', output)
  log.info({ route: '/healthz', status: 200 }, 'request')
  log.debug('below the level')
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'request', route: '/healthz', status: 200 })
})

it('writes a readable line to a terminal immediately', async () => {
  process.env.NO_COLOR = '1'
  const { lines, output } = collect(true)
  const log = await createLog('info', output)
  log.info({ route: '/healthz', status: 200 }, 'request')
  expect(lines).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: request \{"route":"\/healthz","status":200\}\n$/),
  ])
})

it('uses color in a terminal unless NO_COLOR is set', async () => {
  delete process.env.NO_COLOR
  const { lines, output } = collect(true)
  const log = await createLog('info', output)
  log.info('request')
  expect(lines[0]).toContain('\u001b[')
})

it('logs a repeating error once, and then the number of repetitions', async () => {
  const { lines, output } = collect(false)
  const log = await createLog('info', output, 20)
  const report = (message: string) =>
    log.error({ call: lines.length, error: { name: 'Error', message } }, 'failed')
  for (let count = 0; count < 1_000; count += 1) report('the database is away')
  report('another error')
  expect(lines).toHaveLength(2)
  await waitUntil(() => lines.length > 2)
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({
    msg: 'failed',
    error: { message: 'the database is away' },
    repeated: 999,
  })
})

it('logs a repeating unexpected error for every request, because each request has an ID', async () => {
  const { lines, output } = collect(false)
  const log = await createLog('info', output)
  const error = { name: 'Error', message: 'a bug' }
  log.child({ request_id: 'one' }).error({ error }, 'internal_error')
  log.child({ request_id: 'two' }).error({ error }, 'internal_error')
  expect(lines).toHaveLength(2)
})
