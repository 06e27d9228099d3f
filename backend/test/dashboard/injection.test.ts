import { beforeAll, expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { startImporter } from '../../queue/contacts/import/importer.ts'
import { acceptColumns } from '../support/contact-imports.ts'
import { listDashboardRoutes, pathFor } from '../support/page-paths.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'
import { waitForValue } from '../support/wait.ts'

/** Text that needs escaping: it contains markup, closes an attribute, and starts a spreadsheet formula. */
const mark = '=<b>Mark</b>"><img src=x onerror=alert(1)>\'&lt;'

let objects: SeededObjects
const world = useServiceWorld()
beforeAll(async () => {
  objects = await seedEverything(world.service, mark)
  await writeMarkEverywhere()
  const importer = startImporter(world.service.deps)
  await acceptColumns(world.service.deps, objects.workspaceId, Number(objects.import))
  importer.notify()
  await waitForValue(
    () => world.database.db.selectFrom('contact_import').select('status').executeTakeFirst(),
    (row) => row?.status === 'checked',
  )
  await importer.stop()
})

/** Writes the mark into every value that callers, runtimes, tools, receivers, and browsers can send. */
async function writeMarkEverywhere(): Promise<void> {
  const { db, clock } = world.service.deps
  const at = clock.now()
  const attempt = await db
    .insertInto('call_attempt')
    .values({
      workspace_id: objects.workspaceId,
      call_id: objects.call,
      campaign_id: objects.campaign,
      number: 1,
      to_number: '+12025550100',
      test: false,
      provider: 'simulated',
      worker_id: crypto.randomUUID(),
      lease_until: at,
      started_at: at,
      answered_at: at,
      ended_at: at,
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('call')
    .set({
      status: 'completed',
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
      answered_at: at,
      ended_at: at,
      duration_seconds: 5,
      attempts: 1,
      next_attempt_at: null,
      summary: mark,
      transcript: JSON.stringify([{ role: 'contact', text: mark, at: at.toISOString() }]),
      extracted: JSON.stringify({ [mark]: mark }),
      metadata: JSON.stringify({ [mark]: mark }),
      recording_url: 'javascript:alert(1)',
    })
    .where('id', '=', objects.call)
    .execute()
  await db
    .insertInto('tool_call')
    .values({
      workspace_id: objects.workspaceId,
      call_id: objects.call,
      attempt_id: attempt.id,
      tool_name: mark,
      arguments: JSON.stringify({ [mark]: mark }),
      result: mark,
      is_error: true,
      dry_run: false,
      started_at: at,
      duration_ms: 5,
    })
    .execute()
  const result = { id: mark, name: mark, result: mark, isError: true }
  const parts = [
    { type: 'said', text: mark },
    { type: 'tool', ...result, args: { [mark]: mark }, isDryRun: true },
    { type: 'late_result', ...result },
    { type: 'trouble', sentence: mark },
  ]
  await db
    .updateTable('conversation_turn')
    .set({ input: JSON.stringify({ type: 'speech', text: mark }), parts: JSON.stringify(parts) })
    .execute()
  await db
    .insertInto('delivery_attempt')
    .values({ delivery_id: objects.delivery, number: 1, at, duration_ms: 5, status_code: 500, error: mark })
    .execute()
  await db
    .updateTable('session')
    .set({ user_agent: `Mozilla/5.0 ${mark}` })
    .execute()
  await db.updateTable('api_key').set({ name: mark }).execute()
  await db.updateTable('oauth_client').set({ name: mark }).execute()
  await db.updateTable('app_user').set({ name: mark }).execute()
  await db.updateTable('campaign').set({ status: 'paused', paused_reason: mark }).execute()
  await db
    .updateTable('mcp_tool')
    .set({
      settings: JSON.stringify({
        url: 'https://mcp.example.com/',
        transport: 'auto',
        headers: { 'X-Mark': mark },
        tools: [{ name: mark, description: mark, inputSchema: { title: mark }, readOnly: true }],
      }),
    })
    .where('id', '=', objects.server)
    .execute()
}

it('shows HTML in input from users and other systems as text', async () => {
  const seen: string[] = []
  for (const route of listDashboardRoutes(world.service.deps)) {
    // Leaves out a page that needs a running MCP server. The tool page tests start one.
    if (route.kind === 'action' || route.kind === 'download' || route.path.endsWith('/choose')) continue
    const { status, html } = await objects.user.open(pathFor(route, objects))
    expect([route.path, status]).toEqual([route.path, 200])
    expect([route.path, html.match(/<b>Mark|<\/b>"|<img|href="javascript:/g)]).toEqual([route.path, null])
    if (html.includes('&lt;b&gt;Mark&lt;/b&gt;')) seen.push(route.path)
  }
  expect(seen).toEqual(
    expect.arrayContaining([
      ...['/overview', '/calls/:id', '/contacts/:id', '/tools/:id', '/account'],
      '/agents/:id/chats/:chatId',
    ]),
  )
})

it('shows HTML in search input as text', async () => {
  for (const path of ['/calls', '/contacts', '/campaigns', '/knowledge', '/contacts/do-not-call']) {
    const text = encodeURIComponent(mark)
    const { html } = await objects.user.open(`${path}?search=${text}&q=${text}&number=${text}&status=${text}`)
    expect([path, html.match(/<b>Mark|<\/b>"|<img/g)]).toEqual([path, null])
  }
})

/** Returns the security headers of a response as name and value pairs. */
const getSecurityHeaders = ({ headers }: { headers: Headers }) =>
  [
    'cache-control',
    'content-security-policy',
    'cross-origin-opener-policy',
    'cross-origin-resource-policy',
    'referrer-policy',
    'strict-transport-security',
    'x-content-type-options',
    'x-frame-options',
  ].map((name) => [name, headers.get(name)])

it('exports CSV files with formulas escaped, safe file names, and security headers', async () => {
  // A download must have the same security headers as a page without scripts, such as this one.
  const signIn = await fetch(new URL('/sign-in', world.service.url))
  expect(signIn.headers.get('cache-control')).toBe('no-store')
  for (const route of listDashboardRoutes(world.service.deps).filter(({ kind }) => kind === 'download')) {
    const { page } = await objects.user.browser.open(objects.user.urlFor(pathFor(route, objects)))
    expect([route.path, page.status]).toEqual([route.path, 200])
    expect(page.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/)
    expect(page.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(getSecurityHeaders(page)).toEqual(getSecurityHeaders(signIn))
    const cells = parse(page.html).flat()
    expect([route.path, cells.filter((cell) => /^\s*[=+\-@]/.test(cell))]).toEqual([route.path, []])
  }
})
