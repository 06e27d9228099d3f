import { expect, it } from '@jest/globals'
import type { Page } from '../../../../support/browser.ts'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { createApiLog } from '../../../api/api-log.ts'
import type { LoggedRequest } from '../../../api/api-log-store.ts'
import { seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { createSender } from '../../support/test-api.ts'
import { waitFor } from '../../support/wait.ts'

const world = useServiceWorld()

it('lets every member find a request by its ID or status, and shows what it did, with a link to its call', async () => {
  const owner = await seedSignedInOwner(world.service)
  const { workspaceId, campaignId, userId } = owner.seed
  const { key } = await createApiKey(world.service.deps, workspaceId, userId, 'Website <new>')
  const send = createSender(world.service.app, key)
  const post = (requestId: string, body: object) =>
    send({
      ...{ method: 'POST', path: '/contacts/', body },
      headers: { 'x-request-id': requestId, 'x-outdial-client': 'zapier/1.0.0' },
    })
  const body = { phone_number: freshNumber(), campaign_id: campaignId }
  const queued = (await post('of-the-call', body)).json<{ call: { id: number } }>()
  await post('of-the-error', { ...body, phone_number: '12' })

  const member = await seedSignedInMember(world.service, workspaceId, 'member')
  const open = (query: string) => member.open(`/settings/api-log${query}`)
  const all = await waitFor(
    async () => {
      const page = await open('')
      return page.text.includes('of-the-error') && page
    },
    () => world.service.deps.clock.advance(1_000),
  )
  expect(all.text).toMatch(/of-the-error.*of-the-call/)
  expect(all.text).toContain('API key “Website <new>”')

  const errors = await open('?status=client')
  expect(errors.text).toContain('Rejected with validation_failed (phone_number: invalid_phone_number).')
  expect(errors.text).not.toContain('of-the-call')
  expect((await open('?status=server')).text).toContain('No matching requests.')
  expect((await open('?status=success')).text).not.toContain('of-the-error')

  const found = await open('?request=of-the-call')
  expect(found.text).not.toContain('of-the-error')
  const [, path = ''] = /href="\/w\/\d+(\/settings\/api-log\/\d+)"/.exec(found.html) ?? []
  const request = await member.open(path)
  expect(request.text).toContain(`Queued call ${queued.call.id}.`)
  expect(request.html).toContain(`href="/w/${workspaceId}/calls/${queued.call.id}"`)
  expect(request.text).toContain('Client zapier/1.0.0')
  expect((await member.open('/settings/api-log/999999999')).status).toBe(404)
})

it('pages through requests in both directions without a gap', async () => {
  const owner = await seedSignedInOwner(world.service)
  const { workspaceId, userId } = owner.seed
  const log = createApiLog(world.service.deps)
  for (let index = 0; index < 120; index += 1) {
    const request: LoggedRequest = {
      ...{
        workspace_id: workspaceId,
        user_id: userId,
        api_key_id: null,
        client_id: null,
        client_version: null,
      },
      ...{ at: new Date(world.service.deps.clock.now().getTime() - index * 3_600_000), duration_ms: 1 },
      ...{ request_id: `request-${index}`, method: 'GET', route: '/calls/', object_id: null },
      ...{ status: 404, error_code: 'not_found', fields: [], field_codes: [], idempotency: null },
      ...{ contact_id: null, call_id: null, campaign_id: null, subscription_id: null },
    }
    log.record(request)
  }
  await log.close()

  const idsOn = ({ html }: Page) => [...html.matchAll(/api-log\/(\d+)"/g)].map(([, id]) => Number(id))
  const follow = async ({ html }: Page, rel: 'next' | 'prev') => {
    const address = new RegExp(`href="([^"]*)" rel="${rel}"`).exec(html)?.[1]?.replaceAll('&amp;', '&')
    return (await owner.browser.open(new URL(address ?? '', world.service.url).href)).page
  }
  const first = await owner.open('/settings/api-log?status=error')
  const second = await follow(first, 'next')
  const third = await follow(second, 'next')
  const all = [first, second, third].flatMap(idsOn)
  expect(all).toHaveLength(120)
  expect(all).toEqual([...new Set(all)].sort((a, b) => b - a))
  expect(third.html).not.toContain('rel="next"')
  expect(idsOn(await follow(third, 'prev'))).toEqual(idsOn(second))
  expect(idsOn(await follow(second, 'prev'))).toEqual(idsOn(first))
})
