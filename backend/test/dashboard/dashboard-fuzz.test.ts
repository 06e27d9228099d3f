import { beforeAll, it } from '@jest/globals'
import fc from 'fast-check'
import { secondMs } from '../../platform/core/durations.ts'
import { csrfTokenOf } from '../support/csrf.ts'
import { listDashboardRoutes, type ListedRoute, pathFor } from '../support/page-paths.ts'
import { anyCharacter } from '../support/schema-arbitraries.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'

// The seed is fixed, so every run uses the same inputs. A failing run prints the seed and the smallest failing input.
const runs = { seed: 20_261_120, numRuns: 200, endOnFailure: true }

let objects: SeededObjects
let cookie: string
let token: string
let routes: ListedRoute[]
const world = useServiceWorld()
beforeAll(async () => {
  objects = await seedEverything(world.service, 'Acme')
  cookie = objects.user.browser.cookies().join('; ')
  token = csrfTokenOf((await objects.user.open('/account')).html)
  // Leaves out the routes that call other servers, because tests of the tools cover them and can start such servers.
  routes = listDashboardRoutes(world.service.deps).filter(
    ({ path }) => !/refresh$|choose$|new-server$|edit-server$/.test(path),
  )
})

/** Percent-encoded values, including some that no browser would send. */
const hostileValues = [
  ...['', '%00', 'a%00b', '%ED%A0%80', '%FF%FE', '%', '%zz', '%0d%0aX-Evil:%201', '%20', '+', '%E2%80%AE'],
  ...[
    '-1',
    '0',
    '1.5',
    '1e400',
    'NaN',
    'Infinity',
    '2147483648',
    '9223372036854775808',
    '9'.repeat(400),
    '0x10',
  ],
  ...[
    '0000-00-00',
    '0001-01-01',
    '275760-09-14',
    '9999-12-31T23:59',
    '2026-02-30',
    '2026-03-08T02:30',
    '-000001-01-01',
  ],
  ...[
    '__proto__',
    'constructor',
    'true',
    'null',
    '[]',
    '%7B%7D',
    '%5B%5B%5D',
    '%22',
    '%27',
    '%25',
    '_',
    '%5C',
  ],
  ...[
    '%3Cscript%3E',
    '%3Dcmd()',
    'x'.repeat(5_000),
    '%F0%9F%93%9E',
    '24:00',
    '25:61',
    'Mars/Olympus',
    '%2B1',
    'mon',
  ],
]

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileValues) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: anyCharacter, maxLength: 40 })
      .map((value) => encodeURIComponent(value.toWellFormed())),
  },
)

/** Returns the names and values of a page's form fields, without internal fields such as `_csrf`. */
function readFields(html: string): [string, string][] {
  const found = new Map<string, string>()
  for (const [tag] of html.matchAll(/<(?:input|select|textarea)[^>]*>/g)) {
    const name = / name="([^"]+)"/.exec(tag)?.[1]
    if (name !== undefined && !name.startsWith('_')) found.set(name, / value="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  return [...found]
}

const request = (path: string, body?: string) =>
  fetch(`${world.service.url}/w/${objects.workspaceId}${path}`, {
    redirect: 'manual',
    headers: { cookie, ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) },
    ...(body !== undefined && { method: 'POST', body }),
  })

/** Throws if the response has a 5xx status or is cut off. */
async function expectNoServerError(path: string, body?: string): Promise<void> {
  world.service.deps.clock.advance(secondMs) // otherwise, the rate limit would reject the later forms
  const response = await request(path, body)
  await response.arrayBuffer()
  if (response.status >= 500)
    throw new Error(`${path} ${(body ?? '').slice(0, 300)} returned ${response.status}`)
}

it('responds to page requests without a server error, whatever the query parameters are', async () => {
  const pages = routes.filter(({ kind }) => kind !== 'action')
  const names = new Map<string, string[]>()
  for (const route of pages) {
    const address = pathFor(route, objects)
    // A download accepts the same query parameters as its list.
    const html = await (
      await request(route.kind === 'download' ? address.replace(/\/[a-z]+$/, '') : address)
    ).text()
    const filters = [...html.matchAll(/<form(?![^>]*method="post")[\s\S]*?<\/form>/g)]
      .map(([form]) => form)
      .join('')
    const links = [...html.matchAll(/[?&](?:amp;)?([a-z_]+)=/g)].map(([, name = '']) => name)
    names.set(route.path, [
      ...new Set([...readFields(filters).map(([name]) => name), ...links, 'page', 'before']),
    ])
  }
  const inputs = fc
    .constantFrom(
      ...pages.flatMap((route) => (names.get(route.path) ?? []).map((name) => ({ line: route, name }))),
    )
    .chain(({ line: route, name }) =>
      fc.tuple(
        fc.constant(route),
        text.map((value) => `${name}=${value}`),
        fc.array(fc.tuple(fc.constantFrom(...(names.get(route.path) ?? [])), text), { maxLength: 3 }),
      ),
    )
  await fc.assert(
    fc.asyncProperty(inputs, ([route, first, rest]) =>
      expectNoServerError(
        `${pathFor(route, objects)}?${[first, ...rest.map(([name, value]) => `${name}=${value}`)].join('&')}`,
      ),
    ),
    runs,
  )
}, 30_000)

it('responds to page requests without a server error, whatever the IDs in the path are', async () => {
  const named = routes.filter(({ kind, path }) => kind !== 'action' && path.includes(':'))
  const inputs = fc.tuple(fc.constantFrom(...named), text, text)
  await fc.assert(
    fc.asyncProperty(inputs, ([{ path }, id, other]) =>
      expectNoServerError(path.replace(/:(id|userId|spreadsheetId)/, () => id).replace(/:\w+/, () => other)),
    ),
    { ...runs, numRuns: 100 },
  )
}, 30_000)

it('responds to submitted forms without a server error, whatever their fields contain', async () => {
  const forms = routes.filter(
    ({ kind, path }) =>
      (kind === 'form' || kind === 'action') &&
      !/leave|sessions|erase|delete|discard|archive|remove/.test(path),
  )
  const fields = new Map<string, [string, string][]>()
  for (const route of forms) {
    const at =
      route.kind === 'form' ? pathFor(route, objects) : pathFor(route, objects).replace(/\/[a-z-]+$/, '')
    fields.set(route.path, readFields(await (await request(at)).text()))
  }
  const inputs = fc
    .constantFrom(...forms)
    .chain((route) =>
      fc.tuple(fc.constant(route), fc.array(fc.tuple(fc.nat(30), text), { minLength: 1, maxLength: 4 })),
    )
  await fc.assert(
    fc.asyncProperty(inputs, ([route, changes]) => {
      const formFields = fields.get(route.path) ?? []
      const typed = formFields.map(
        ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
      )
      const changed = changes.map(([at, value]) => {
        const [name] = formFields[at % Math.max(formFields.length, 1)] ?? ['name']
        return [name, `${encodeURIComponent(name)}=${value}`] as const
      })
      // Keeps unchanged fields, and also the old values of some changed ones, so that those fields are sent twice.
      const unchanged = typed.filter(
        (_, index) => !changed.some(([name]) => formFields[index]?.[0] === name) || index % 2 === 1,
      )
      return expectNoServerError(
        pathFor(route, objects),
        [...unchanged, ...changed.map(([, pair]) => pair), `_csrf=${token}`].join('&'),
      )
    }),
    runs,
  )
}, 30_000)
