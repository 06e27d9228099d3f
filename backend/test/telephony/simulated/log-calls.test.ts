import { expect, it } from '@jest/globals'
import pino from 'pino'
import { startDialer } from '../../../calling/dialer/dialer.ts'
import { advanceUntilCompleted, listAttempts, seedCall } from '../../support/calls.ts'
import { useCallsWorld } from '../../support/world.ts'

const logLines: string[] = []
const log = pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) })
const world = useCallsWorld(() => ({ log }))

it('logs when a simulated call starts and ends, but not its phone number', async () => {
  world.workers.push(startDialer(world.deps))
  const { id } = await seedCall(world.deps, world.seed, '+12025550100')
  await advanceUntilCompleted(world.deps, world.seed, id)
  const [attempt] = await listAttempts(world.deps, id)
  expect(logLines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { msg: 'simulated call started', attempt: attempt?.id, call: id },
    { msg: 'simulated call ended', attempt: attempt?.id, call: id },
  ])
  expect(logLines.join('')).not.toContain('2025550100')
})
