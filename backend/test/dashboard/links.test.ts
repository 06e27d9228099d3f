import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { publicForms } from '../../dashboard/routes.ts'
import { listDashboardRoutes } from '../support/page-paths.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

const folder = join(import.meta.dirname, '../../dashboard')
/** Files that define routes or describe API requests. The paths in them aren't links. */
const exclude = ['{routes,mount-pages,page/page-context,stories/describe-request}.ts']

const expression = /\$\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/.source
/** Matches a quoted path. */
const quotedPath = new RegExp(`(["'\`])(/(?:[a-z$](?:${expression}|(?!\\1)[^\\n])*)?)\\1`, 'g')

/** Replaces IDs: `/w/${id}/calls/${call.id}/replay` becomes `/calls/:/replay`. A fixed segment must not match an ID. */
const toPattern = (path: string) =>
  path
    .replaceAll(new RegExp(`(?<=/)${expression}`, 'g'), ':')
    .replace(/[?#$].*/, '')
    .replace(/^\/w\/:/, '')

it('the dashboard links only to pages and actions that exist', () => {
  const workspacePaths = listDashboardRoutes(world.service.deps).map(({ path }) => path)
  const paths = [...workspacePaths, ...Object.keys(publicForms), '/', '/sign-in', '/sign-out']
  const patterns = new Set(paths.map((path) => path.replaceAll(/:\w+/g, ':')))
  const links = globSync('**/*.ts', { cwd: folder, exclude }).flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8')
    return [...source.matchAll(quotedPath)].map(([, , path = '']) => ({ file, path }))
  })
  expect(links.length).toBeGreaterThan(250)
  expect(links.filter(({ path }) => !patterns.has(toPattern(path)))).toEqual([])
})
