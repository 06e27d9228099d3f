import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import { readPage } from '../../../test/support/docs.ts'
import { testDeps } from '../support/deps.ts'
import { listDashboardRoutes } from '../support/page-paths.ts'
import { useTestDatabase } from '../support/world.ts'

// docs/decisions/0024 lists the functions and pages that aren't limited to one workspace. These tests compare the list with the
// code.

const database = useTestDatabase()
const record = readPage('docs/decisions/0024-a-second-wall-between-workspaces.md')

/** The files that pass the service's dependencies to all other code. */
const assembly = [
  'start.ts',
  'workers.ts',
  'app.ts',
  'api/register-api.ts',
  'api/mount-routes.ts',
  'dashboard/register-dashboard.ts',
  'dashboard/mount-pages.ts',
  'tools/mcp/tool-server.ts',
]

/**
 * Functions called in these files that don't use the database, that limit their statements to a workspace themselves, or that
 * pass the dependencies on to another of these files.
 */
const others = [
  'createApp',
  'createContactAdder',
  'createDashboardRoutes',
  'createLimitedApp',
  'createMonitoringApp',
  'createPageLimit',
  'createSubmitLimit',
  'createToolServer',
  'getSessionFailure',
  'measureRequests',
  'mountPages',
  'mountRoutes',
  'mountSecurityTxt',
  'openForm',
  'registerApi',
  'registerDashboard',
  'registerPages',
  'respondToError',
  'sealAuthor',
  'sealForm',
  'scopeToWorkspace',
  'shareNotifications',
  'startMonitoring',
  'startWorkers',
]

it("decision 0024 lists every function that's passed dependencies that aren't limited to one workspace", async () => {
  const listed = [...record.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell = '']) => namesIn(cell))
  const found = new Set<string>()
  for (const file of assembly) {
    const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
    // The first or second argument is `deps`, `deps.db`, or an object with them.
    const calls = text.matchAll(
      /(?<!function )\b(\w+)\(\s*(?:\w+,\s*)?(?:\{\s*\.\.\.)?deps(?:\.db)?\b(?![:.])/g,
    )
    for (const [, name = ''] of calls) found.add(name)
  }
  expect([...found].sort()).toEqual([...listed, ...others].sort())
})

it("decision 0024 lists every dashboard page that isn't limited to one workspace", () => {
  const [, sentence = ''] = /^Pages of a workspace that cross workspaces([^]*?)\.\n/m.exec(record) ?? []
  const routes = listDashboardRoutes(testDeps(database.db))
  const crossing = routes.filter(({ crossesWorkspaces }) => crossesWorkspaces).map(({ path }) => path)
  expect(crossing.sort()).toEqual(namesIn(sentence).sort())
})

const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
