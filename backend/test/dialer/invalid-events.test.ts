import { describe, expect, it } from '@jest/globals'
import pino from 'pino'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import { completeQueuedCalls } from '../../queue/calls/complete-calls.ts'
import { getCall, listEvents, seedCall } from '../support/calls.ts'
import { freshNumber } from '../support/factories.ts'
import { waitFor } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

describe('a call whose event would be invalid', () => {
  it('does not block other calls, is logged as an error once, and gets its event after its data is repaired', async () => {
    const { db, clock } = world.deps
    const broken = await seedCall(world.deps, world.seed, freshNumber())
    const other = await seedCall(world.deps, world.seed, freshNumber())
    const setFromNumber = (value: string) =>
      db.updateTable('call').set({ from_number: value }).where('id', '=', broken.id).execute()
    await setFromNumber('not a number')
    await completeQueuedCalls(world.deps, world.seed.workspaceId, [broken.id, other.id], {
      outcome: 'canceled',
      endedReason: 'canceled_by_user',
      at: clock.now(),
    })
    expect(await listEvents(world.deps, other.id)).toHaveLength(1)
    expect((await getCall(world.deps, world.seed, broken.id)).status).toBe('completed')

    const errors: string[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) })
    const advance = () => clock.advance(1_000)
    world.workers.push(startSweeper({ ...world.deps, log }))
    await waitFor(async () => errors.length > 0, advance)
    const loggedAt = clock.now().getTime()
    await waitFor(async () => clock.now().getTime() > loggedAt + 60_000, advance)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(`"call":${broken.id}`)

    await setFromNumber(broken.from_number)
    clock.advance(24 * 3_600_000)
    await waitFor(async () => (await listEvents(world.deps, broken.id)).length === 1, advance)
  })
})
