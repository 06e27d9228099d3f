import { expect, it } from '@jest/globals'
import { seedSignedInMember, type SignedInUser, useOwnerWorld } from '../support/dashboard.ts'

const { world, user } = useOwnerWorld()

/** Submits a form without a CSRF token, so that it does nothing. It counts all the same. Returns the statuses. */
async function submit(member: SignedInUser, path: string, times: number): Promise<number[]> {
  const headers = { cookie: member.browser.cookies().join('; ') }
  const body = new URLSearchParams({ name: 'x' })
  const submitOne = async () => {
    const response = await fetch(member.urlFor(path), { method: 'POST', redirect: 'manual', headers, body })
    await response.body?.cancel()
    return response.status
  }
  return Promise.all(Array.from({ length: times }, submitOne))
}

const countLimited = (statuses: number[]) => statuses.filter((status) => status === 429).length

it('limits the forms that a user submits in a minute, and the costly ones further', async () => {
  expect(countLimited(await submit(user, '/tools/new-http', 62))).toBe(2)
  expect(countLimited(await submit(user, '/contacts/new', 240))).toBe(2)
  const other = await seedSignedInMember(world.service, user.seed.workspaceId, 'member')
  expect(await submit(other, '/contacts/new', 1)).toEqual([403])
}, 60_000)
