import { afterAll, beforeAll, expect } from '@jest/globals'
import type { Deps } from '../../deps.ts'
import { systemClock } from '../../platform/core/clock.ts'
import type { Worker } from '../../platform/core/worker.ts'
import type { Db } from '../../platform/db/schema.ts'
import { getUse, ImportColumns } from '../../queue/contacts/import/import-columns.ts'
import { startImporter } from '../../queue/contacts/import/importer.ts'
import { getImport } from '../../queue/contacts/import/imports.ts'
import { mapColumns } from '../../queue/contacts/import/map-columns.ts'
import type { SignedInUser } from './dashboard.ts'
import { type Service, useServiceWorld } from './service.ts'
import { waitFor } from './wait.ts'

/** How long the tests wait for a worker: long enough to import hundreds of rows on a busy machine. */
const timeoutMs = 60_000

/** Gives a test file a service, and functions to import files. The imports run only in workers that `startWorker` starts. */
export function useImportWorld(start?: (db: Db) => Promise<Service>) {
  const workers: Worker[] = []
  // This hook must run before the service's hook. Jest runs these hooks in registration order.
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
  })
  const world = useServiceWorld(start)
  beforeAll(() => {
    world.service.deps.notify.importQueued = () => workers.forEach((worker) => worker.notify())
  })

  /** Returns the page of an import once no worker is processing it. */
  const waitUntilSettled = (user: SignedInUser, path: string) =>
    waitFor(
      async () => {
        const page = await user.open(path)
        return !page.html.includes('hx-trigger="every 1s"') && page
      },
      undefined,
      timeoutMs,
    )

  const uploadFile = async (user: SignedInUser, bytes: string | Uint8Array, name = 'leads.csv') => {
    const { path } = await upload(user, name, bytes)
    return { path, page: await waitUntilSettled(user, path) }
  }

  /** Uploads a file, accepts the guessed columns except for `choices`, and waits for the check. */
  const uploadAndCheck = async (
    user: SignedInUser,
    bytes: string | Uint8Array,
    choices: ColumnChoices = {},
    name = 'leads.csv',
  ) => {
    const { path, page } = await uploadFile(user, bytes, name)
    if (!page.html.includes('/columns"')) return { path, page }
    await user.browser.press(page, 'Check file', toMappingFields(page.html, choices))
    return { path, page: await waitUntilSettled(user, path) }
  }

  /** Imports a file, and queues calls unless `calls` is false. Returns the path of the import's page. */
  const importFile = async (
    user: SignedInUser & { seed: { campaignId: number } },
    file: string,
    { calls = true, name = 'leads.csv' } = {},
  ) => {
    const { path, page } = await uploadAndCheck(user, file, {}, name)
    const campaign = calls ? String(user.seed.campaignId) : ''
    await user.browser.press(page, 'Import contacts', { campaign_id: campaign })
    expect((await waitUntilSettled(user, path)).text).toContain('Import complete')
    return path
  }

  /** Undoes an import through its pages. Returns the import's page once the worker has undone it. */
  const undo = async (user: SignedInUser, path: string) => {
    await user.browser.press(await user.open(`${path}/undo`), 'Undo import')
    return waitUntilSettled(user, path)
  }

  return {
    world,
    /** Starts a worker that waits in real time, because these tests don't advance the manual clock. */
    startWorker: (): Worker => {
      const { deps } = world.service
      const worker = startImporter({ ...deps, clock: { ...systemClock, now: () => deps.clock.now() } })
      workers.push(worker)
      return worker
    },
    waitUntilSettled,
    /** Uploads a file, and waits until its columns can be mapped. */
    uploadFile,
    uploadAndCheck,
    importFile,
    undo,
    listContacts: ({ seed }: { seed: { workspaceId: number } }) =>
      world.database.db
        .selectFrom('contact')
        .selectAll()
        .where('workspace_id', '=', seed.workspaceId)
        .orderBy('phone_number')
        .execute(),
  }
}

/** Waits until the columns of an uploaded file have been read, accepts the guesses, and queues the file's check. */
export async function acceptColumns(deps: Deps, workspaceId: number, importId: number): Promise<void> {
  const found = await waitFor(async () => {
    const read = await getImport(deps, workspaceId, importId)
    return read.status === 'mapping' && read
  })
  const columns = ImportColumns.parse(found.columns)
  await mapColumns(deps, { id: workspaceId, timeZone: 'America/New_York' }, importId, {
    uses: columns.map((column) => getUse(column) ?? 'ignore'),
    ranks: columns.map(({ rank }) => rank),
    consent: { source: '', at: '', kind: '' },
  })
}

/** Values for the form: the chosen field of each column, by the column's header, and other fields, by their name. */
export type ColumnChoices = Record<string, string>

/** Returns the form's fields for the columns of a file, with each column's header. */
export const getColumnFields = (
  html: string,
): { header: string; field: string; use: string; samples: string[] }[] =>
  [...html.matchAll(/<th scope="row" id="column-(\d+)">(.*?)<\/th>(.*?)<\/tr>/gs)].map(
    ([, index = '', header = '', cells = '']) => ({
      header: decode(header.includes('(no name)') ? '' : header),
      field: `use_${index}`,
      use: /<option value="([^"]*)" selected>/.exec(cells)?.[1] ?? '',
      samples: [...cells.matchAll(/<div class="sample">(.*?)<\/div>/gs)].map(([, sample = '']) =>
        decode(sample),
      ),
    }),
  )

const decode = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

export function toMappingFields(html: string, choices: ColumnChoices): Record<string, string> {
  const names = new Map(getColumnFields(html).map(({ header, field }) => [header, field]))
  return Object.fromEntries(Object.entries(choices).map(([name, value]) => [names.get(name) ?? name, value]))
}

/** Uploads a file. Returns the path of its import, or the page with the error if the file is rejected. */
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

/** Returns the counts on a page, by label. */
export const getStat = (html: string): Record<string, number> =>
  Object.fromEntries(
    [...html.matchAll(/<dt>([^<]*)<\/dt><dd>([\d,]+)<\/dd>/g)].map(([, name = '', count = '']) => [
      name,
      Number(count.replace(',', '')),
    ]),
  )
