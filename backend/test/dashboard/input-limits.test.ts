import { expect, it } from '@jest/globals'
import * as z from 'zod'
import { createBrowser } from '../../../support/browser.ts'
import { createInvitation } from '../../accounts/identity/invitations.ts'
import { createResetLink } from '../../accounts/identity/password-resets.ts'
import { publicForms } from '../../dashboard/routes.ts'
import { publicFormBytes } from '../../platform/http/http-limits.ts'
import { csrfTokenOf } from '../support/csrf.ts'
import type { SignedInUser } from '../support/dashboard.ts'
import { dumpRows, getCsrfToken, request, workspacePath } from '../support/foreign-objects.ts'
import { type InputField, listInputFields, textsOverLimit } from '../support/input-fields.ts'
import { listInputs } from '../support/inputs.ts'
import { listDashboardRoutes, type ListedRoute, pathFor } from '../support/page-paths.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

/** Returns a field's name. If the schema allows any name, uses the name field of a custom tool's first argument. */
const nameOf = ({ path: [name = ''] }: InputField): string => (name === '*' ? 'param.1.name' : name)

interface Target {
  path: string
  schema: Parameters<typeof listInputFields>[0]
  user: SignedInUser | null
  token: string
  /** The expected status: 422 for a form. A button redirects (303) to the page that shows the error. */
  status: 303 | 422
  /** The maximum size of the request body. */
  maxBytes?: number
}

/**
 * Sends each field of a form alone, with values over its limit. Returns the number of values, and those that weren't rejected.
 */
async function sendOverLimits({ path, schema, user, token, status, maxBytes }: Target) {
  const accepted: string[] = []
  let count = 0
  for (const field of listInputFields(schema)) {
    if (field.isIgnoredIfInvalid || field.isKey) continue
    const name = nameOf(field)
    for (const text of textsOverLimit(field).slice(field.path[0] === '*' ? 1 : 0)) {
      count += 1
      const response = await request(world.service, user, path, { [name]: text, _csrf: token })
      // Hidden fields, and fields that only some tools have, aren't on the page, so their issues aren't next to a field.
      const isOnPage =
        !/^[_*]/.test(field.path[0] ?? '') && findForm(response.html, path).includes(`name="${name}"`)
      const isAtField = response.html.includes(`id="f-${name.replace(/[^\w-]/g, '-')}-issue"`)
      const isTooLarge = maxBytes !== undefined && text.length > maxBytes
      const isRejected = response.status === (isTooLarge ? 413 : status)
      if (!isRejected || (isOnPage && !isAtField)) accepted.push(`${path} ${name}: ${response.status}`)
    }
  }
  return { count, accepted }
}

/** Returns the part of a page's HTML with the form that's sent to a path. Empty if the page doesn't show the form. */
function findForm(html: string, path: string): string {
  const forms = [...html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)]
  const sentTo = (tag: string) => /action="([^"?]*)/.exec(tag)?.[1] ?? path
  return forms.find(([, tag = '']) => sentTo(tag) === path)?.[2] ?? ''
}

/** Opens a page with a form. Returns its path, its CSRF token, and the visitor's browser. */
async function visitForm(path: string, user?: SignedInUser): Promise<Omit<Target, 'schema' | 'status'>> {
  const browser = user?.browser ?? createBrowser()
  const { page } = await browser.open(`${world.service.url}${path}`)
  const visitor = { browser } as SignedInUser // a request needs only the cookies
  return {
    path,
    user: visitor,
    token: csrfTokenOf(page.html),
    maxBytes: publicFormBytes,
  }
}

async function visitPublicForm(path: keyof typeof publicForms, objects: SeededObjects) {
  const { deps } = world.service
  const invitation = { email: 'invited@example.com', role: 'member' } as const
  const { link } =
    path === '/invitations/:token'
      ? await createInvitation(deps, objects.workspaceId, objects.owner, invitation)
      : await createResetLink(deps, objects.owner)
  const isLink = path.endsWith(':token')
  return visitForm(isLink ? new URL(link).pathname : path, isLink ? undefined : objects.user)
}

const pathOf = (route: ListedRoute, objects: SeededObjects): string => {
  const ofServer = /edit-server|choose/.test(route.path)
  return workspacePath(objects, pathFor(route, ofServer ? { ...objects, tool: objects.server } : objects))
}

it('rejects a text over the limit in any field of any form, shows the issue next to the field, and changes nothing', async () => {
  const { deps } = world.service
  const results: { count: number; accepted: string[] }[] = []
  const forms = new Map(
    listInputs(deps).flatMap(({ path, part, schema }) => (part === 'body' ? [[path, schema]] : [])),
  )
  const schemaOf = (path: string) => forms.get(path) ?? z.never()
  results.push(
    await sendOverLimits({ ...(await visitForm('/sign-up')), schema: schemaOf('/sign-up'), status: 422 }),
  )

  const objects = await seedEverything(world.service, 'Acme')
  for (const path of Object.keys(publicForms) as (keyof typeof publicForms)[]) {
    if (path === '/sign-up') continue
    const target = { ...(await visitPublicForm(path, objects)), schema: schemaOf(path), status: 422 as const }
    results.push(await sendOverLimits(target))
  }

  const token = await getCsrfToken(objects.user)
  const before = await dumpRows(world.database)
  for (const route of listDashboardRoutes(deps)) {
    if (!('form' in route)) continue
    const { form: schema, kind } = route
    const path = pathOf(route, objects)
    results.push(
      await sendOverLimits({ path, schema, user: objects.user, token, status: kind === 'form' ? 422 : 303 }),
    )
  }
  expect(results.flatMap(({ accepted }) => accepted)).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
  process.stdout.write(
    `${results.reduce((sum, { count }) => sum + count, 0)} texts over the limits of fields of forms\n`,
  )
}, 120_000)
