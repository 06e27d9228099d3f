import { sql } from 'kysely'
import { secondMs } from '../../platform/core/durations.ts'
import { csrfTokenOf } from './csrf.ts'
import type { SignedInUser } from './dashboard.ts'
import type { TestDatabase } from './database.ts'
import { fillPath, idsInPath, type ListedRoute } from './page-paths.ts'
import type { SeededObjects } from './seed-everything.ts'
import type { Service } from './service.ts'

/**
 * Requests every page and sends every form of a workspace with the IDs of another workspace's objects. Returns the
 * requests whose response isn't 404.
 */
export async function findForeignObjects(
  service: Service,
  routes: readonly ListedRoute[],
  { ours, theirs }: { ours: SeededObjects; theirs: SeededObjects },
): Promise<string[]> {
  const token = await getCsrfToken(ours.user)
  const wrong: string[] = []
  for (const route of routes.filter(({ path }) => path.includes(':'))) {
    for (const path of foreignPaths(route, ours, theirs)) {
      const formatResult = (how: string, { status, location }: PageResponse) =>
        `${how} ${path} ${status} ${location}`
      if (isPage(route)) {
        const response = await request(service, ours.user, workspacePath(ours, path))
        if (response.status !== 404) wrong.push(formatResult('GET', response))
      }
      if (!isAction(route)) continue
      for (const fields of [fieldsWith(ours), fieldsWith(theirs)]) {
        const response = await request(service, ours.user, workspacePath(ours, path), {
          _csrf: token,
          ...fields,
        })
        if (response.status !== 404) wrong.push(formatResult('POST', response))
      }
      // A missing field may be reported before the object is looked up.
      const { status } = await request(service, ours.user, workspacePath(ours, path), { _csrf: token })
      if (![303, 404].includes(status)) wrong.push(`POST ${path} ${status} with an empty form`)
    }
  }
  return wrong
}

/** Returns the route's paths with another workspace's IDs. If a path has two IDs, each is also replaced alone. */
function foreignPaths(route: ListedRoute, ours: SeededObjects, theirs: SeededObjects): string[] {
  const ids = idsInPath(route)
  const [ownIds, foreign] = [ids(ours), ids(theirs)]
  if (ownIds.length === 1) return [fillPath(route, foreign)]
  const mixed = ownIds.map((_, at) => ownIds.map((id, index) => (index === at ? (foreign[at] ?? id) : id)))
  return [foreign, ...mixed]
    .filter((some) => some.some((id, at) => id !== ownIds[at]))
    .map((some) => fillPath(route, some))
}

export const isPage = ({ kind }: ListedRoute) => kind !== 'action'
export const isAction = ({ kind }: ListedRoute) => kind === 'action' || kind === 'form'

/** Returns valid values for all forms, with the IDs of a workspace. */
export const fieldsWith = (of: SeededObjects): Record<string, string> => ({
  name: 'Changed',
  // The number of the agent's version to restore.
  number: '1',
  title: 'Changed',
  body: 'Changed',
  text: 'Changed',
  reason: 'Changed',
  note: 'Changed',
  label: 'Changed',
  description: 'Changed',
  greeting: 'Hello',
  language: 'en-US',
  columns: 'Changed',
  phone_number: '+12025550155',
  country: 'US',
  time_zone: 'America/New_York',
  role: 'owner',
  email: 'changed@example.com',
  campaign_id: String(of.campaign),
  agent_id: String(of.agent),
  phone_number_id: String(of.number),
  contact_id: String(of.contact),
  delivery_id: String(of.delivery),
  subscription_id: String(of.subscription),
  tool_id: String(of.tool),
  spreadsheet_id: of.spreadsheet,
  spreadsheet: of.spreadsheet,
  'config.spreadsheet_id': of.spreadsheet,
  'config.provider': 'database',
  'calling_hours.days': 'mon',
  'calling_hours.start': '09:00',
  'calling_hours.end': '17:00',
  max_concurrent_calls: '1',
  'retry.max_attempts': '1',
  'retry.delay_minutes': '60',
  consent_required: 'none',
  scheduled_at: '2030-01-01T10:00',
  method: 'GET',
  url: 'https://tools.example.com/',
})

export interface PageResponse {
  status: number
  location: string
  html: string
}

export async function request(
  { url, deps }: Service,
  user: SignedInUser | null,
  path: string,
  fields?: Record<string, string>,
): Promise<PageResponse> {
  const cookie = user?.browser.cookies().join('; ') ?? ''
  deps.clock.advance(secondMs) // otherwise, the rate limit would reject the later forms
  const init = fields && { method: 'POST', body: new URLSearchParams(fields) }
  const response = await fetch(`${url}${path}`, {
    ...init,
    redirect: 'manual',
    headers: { cookie },
  })
  const location = response.headers.get('location') ?? ''
  return { status: response.status, location, html: await response.text() }
}

export const workspacePath = (of: SeededObjects, path: string) => `/w/${of.workspaceId}${path}`

/** Returns a valid CSRF token for the user's browser. Reads it from a page that needs no workspace. */
export async function getCsrfToken({ browser, urlFor }: SignedInUser): Promise<string> {
  const { page } = await browser.open(new URL('/workspaces/new', urlFor('/')).href)
  return csrfTokenOf(page.html)
}

/**
 * Returns all rows of all tables, without the values that every request with a valid credential changes: `last_seen_at`,
 * `last_used_at`, and the API log of the credential's own workspace.
 */
export async function dumpRows({ db }: Pick<TestDatabase, 'db'>): Promise<Record<string, string[]>> {
  const tables = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'public' and tablename !~ '^api_request' order by 1`.execute(
    db,
  )
  // Reads all tables with one statement, because some tests call this function hundreds of times.
  const parts = tables.rows.map(
    ({ name }) =>
      sql`select ${sql.lit(name)} as name, (to_jsonb(t) - 'last_seen_at' - 'last_used_at')::text as row from ${sql.table(name)} t`,
  )
  const found = await sql<{ name: string; row: string }>`
    ${sql.join(parts, sql` union all `)} order by name, row`.execute(db)
  const rows: Record<string, string[]> = Object.fromEntries(tables.rows.map(({ name }) => [name, []]))
  for (const { name, row } of found.rows) rows[name]?.push(row)
  return rows
}

/** Returns the rows of one workspace, for tables that have a workspace ID. */
export function rowsOfWorkspace(
  rows: Record<string, string[]>,
  workspaceId: number,
): Record<string, string[]> {
  const belongsToWorkspace = (row: string) => row.includes(`"workspace_id": ${workspaceId},`)
  return Object.fromEntries(Object.entries(rows).map(([name, all]) => [name, all.filter(belongsToWorkspace)]))
}
