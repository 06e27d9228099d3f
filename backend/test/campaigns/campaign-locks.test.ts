import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import type { Deps } from '../../deps.ts'
import { archiveCampaign, pauseCampaign, resumeCampaign } from '../../queue/campaigns/campaign-status.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { everyHour } from '../support/factories.ts'
import { createRewritingDatabase } from '../support/rewriting-database.ts'
import { useCallsWorld } from '../support/world.ts'

// A call is planned while its campaign is locked `for key share`, and depends on the campaign's hours, time zone, and status.
// The plan stays right only if every change to these columns first waits for this lock.

const world = useCallsWorld()
const backend = path.join(import.meta.dirname, '../..')

/** Returns the names of the service's functions whose text matches, as `file name`, sorted. */
async function findFunctions(matches: (text: string) => boolean): Promise<string[]> {
  const files = await readdir(backend, { recursive: true })
  const found: string[] = []
  for (const file of files.sort()) {
    if (!/\.(ts|sql)$/.test(file) || /^(test|node_modules)\//.test(file)) continue
    const text = await readFile(path.join(backend, file), 'utf8')
    for (const part of text.split(/^(?=export |async function|function |const |create )/m)) {
      const [, name = ''] = /(?:function|const|trigger|table|index) (\w+)/.exec(part) ?? []
      if (matches(part)) found.push(`${file} ${name}`)
    }
  }
  return found
}

it("only two functions change a campaign's hours, time zone, or status, and each is called from only one place", async () => {
  const writes = (text: string) => {
    const [, set] =
      /updateTable\('campaign'\)[^]*?\.set\(([^]*?)\)\s*\.where/.exec(text) ??
      /\bupdate campaign\b(?: as \w+)?\s+set\b([^]*)/.exec(text) ??
      []
    // Includes statements that set an object, because its columns can't be seen here.
    return set !== undefined && (/\b(status|time_zone|calling_hours)\b/.test(set) || /^\w+$/.test(set))
  }
  expect(await findFunctions(writes)).toEqual([
    'calling/dialer/attempt-store.ts pauseFailingCampaign',
    'queue/campaigns/campaign-store.ts updateCampaign',
  ])
  const calls = (name: string) =>
    findFunctions((text) => new RegExp(`(?<!function )\\b${name}\\(`).test(text))
  expect(await calls('updateCampaign')).toEqual(['queue/campaigns/edit-campaign.ts changeCampaign'])
  expect(await calls('pauseFailingCampaign')).toEqual([
    'calling/dialer/circuit-breaker.ts updateProviderFailures',
  ])
})

it.each<{ name: string; lock: RegExp; change: (deps: Deps, id: number) => Promise<unknown> }>([
  {
    name: 'an edit',
    lock: /for update$/,
    change: (deps, id) => {
      const callingHours = { ...everyHour, start: '09:00' }
      return editCampaign(deps, world.seed.workspaceId, id, { callingHours, timeZone: 'Asia/Tokyo' })
    },
  },
  {
    name: 'a pause',
    lock: /for no key update$/,
    change: (deps, id) => pauseCampaign(deps, world.seed.workspaceId, id),
  },
  {
    name: 'a resumption',
    lock: /for update$/,
    change: (deps, id) => resumeCampaign(deps, world.seed.workspaceId, id),
  },
  {
    name: 'archiving',
    lock: /for update$/,
    change: (deps, id) => archiveCampaign(deps, world.seed.workspaceId, id),
  },
])('locks a campaign before $name', async ({ lock, change }) => {
  const statements: string[] = []
  const db = createRewritingDatabase(world.database.url, (text) => {
    statements.push(text)
    return text
  })
  await change({ ...world.deps, db }, world.seed.campaignId)
  await db.destroy()
  const locked = statements.findIndex((text) => lock.test(text) && text.includes('from "campaign"'))
  const written = statements.findIndex((text) => text.startsWith('update "campaign"'))
  expect(locked).toBeGreaterThanOrEqual(0)
  expect(written).toBeGreaterThan(locked)
})
