import { afterAll, beforeAll } from '@jest/globals'
import { startImporter } from '../../contacts/import/importer.ts'
import { systemClock } from '../../core/clock.ts'
import type { Worker } from '../../core/worker.ts'
import type { SignedInUser } from './dashboard.ts'
import { useServiceWorld } from './service.ts'
import { waitFor } from './wait.ts'

/** Milliseconds that hundreds of rows may take on a machine that is busy with other things. */
const timeoutMs = 60_000

/** Gives a test file a service whose imports are done by the workers that `startWorker` starts. */
export function useImportWorld() {
  const workers: Worker[] = []
  // Before the service's: Jest runs these hooks in the order of their registration.
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
  })
  const world = useServiceWorld()
  beforeAll(() => {
    world.service.deps.notify.importQueued = () => workers.forEach((worker) => worker.notify())
  })

  /** The page of an import when nobody works on it any more. */
  const waitUntilSettled = (user: SignedInUser, path: string) =>
    waitFor(
      async () => {
        const page = await user.open(path)
        return !page.html.includes('hx-trigger="every 1s"') && page
      },
      undefined,
      timeoutMs,
    )

  return {
    world,
    /** By the machine's clock: nobody turns the hands of the other one here. */
    startWorker: (): Worker => {
      const { deps } = world.service
      const worker = startImporter({ ...deps, clock: { ...systemClock, now: () => deps.clock.now() } })
      workers.push(worker)
      return worker
    },
    waitUntilSettled,
    uploadAndCheck: async (user: SignedInUser, bytes: string | Uint8Array, name = 'leads.csv') => {
      const { path } = await upload(user, name, bytes)
      return { path, page: await waitUntilSettled(user, path) }
    },
    listContacts: ({ seed }: { seed: { workspaceId: number } }) =>
      world.database.db
        .selectFrom('contact')
        .selectAll()
        .where('workspace_id', '=', seed.workspaceId)
        .orderBy('phone_number')
        .execute(),
  }
}

/** Sends a file, and resolves to the address of its import; where it is refused, to the page. */
export async function upload(
  { browser, urlFor, open }: SignedInUser,
  name: string,
  bytes: string | Uint8Array,
) {
  const { html } = await open('/contacts/import')
  const body = new FormData()
  for (const field of ['_csrf', '_once']) {
    body.set(field, new RegExp(`name="${field}" value="([^"]*)"`).exec(html)?.[1] ?? '')
  }
  body.set('file', new Blob([typeof bytes === 'string' ? bytes : Buffer.from(bytes)]), name)
  const response = await fetch(urlFor('/contacts/import'), {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { cookie: browser.cookies().join('; '), origin: new URL(urlFor('')).origin },
  })
  const location = response.headers.get('location')
  if (location === null) return { status: response.status, html: await response.text(), path: '' }
  return { status: response.status, html: '', path: location.replace(/^\/w\/\d+/, '') }
}

/** Counts of the page, by what they are called. */
export const getStat = (html: string): Record<string, number> =>
  Object.fromEntries(
    [...html.matchAll(/<dt>([^<]*)<\/dt><dd>([\d,]+)<\/dd>/g)].map(([, name = '', count = '']) => [
      name,
      Number(count.replace(',', '')),
    ]),
  )
