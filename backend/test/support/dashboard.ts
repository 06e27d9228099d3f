import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect } from '@jest/globals'
import type { Browser as Chromium, Page as Tab } from 'playwright-core'
import { type Browser, createBrowser, type Page } from '../../../support/browser.ts'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { addMember } from '../../accounts/identity/members.ts'
import { startSession } from '../../accounts/identity/sessions.ts'
import { sessionCookie } from '../../accounts/sign-in/browser-auth.ts'
import { password, type Seed, seedUser, seedWorkspace } from './factories.ts'
import { type Service, useServiceWorld } from './service.ts'

export { password, type Service }

/** A signed-in user. The browser doesn't run scripts. */
export interface SignedInUser {
  browser: Browser
  userId: number
  email: string
  /** Returns the URL of a path in the workspace: `urlFor('/calls')`. */
  urlFor: (path: string) => string
  open: (path: string) => Promise<Page>
}

/** Creates a workspace that can place calls, and signs in its owner. */
export async function seedSignedInOwner(
  service: Service,
  name = 'Acme',
): Promise<SignedInUser & { seed: Seed }> {
  const seed = await seedWorkspace(service.deps, name)
  return { ...(await seedSignedInMember(service, seed.workspaceId, 'owner')), seed }
}

/** Gives a test file a service with a workspace. Its owner is signed in before the first test. */
export function useOwnerWorld(workspaceName?: string) {
  const world = useServiceWorld()
  const user = {} as Awaited<ReturnType<typeof seedSignedInOwner>>
  beforeAll(async () => {
    Object.assign(user, await seedSignedInOwner(world.service, workspaceName))
  })
  return { world, user }
}

/** Creates a workspace whose only member is a signed-in owner. Removes the other user, whom `seedWorkspace` adds. */
export async function seedSoleOwner(service: Service) {
  const owner = await seedSignedInOwner(service)
  const { workspaceId, userId } = owner.seed
  await removeMember(service.deps, workspaceId, userId)
  return { ...owner, workspaceId }
}

/** Adds a member to a workspace, and signs them in. */
export async function seedSignedInMember(
  service: Service,
  workspaceId: number,
  role: 'owner' | 'member',
): Promise<SignedInUser> {
  const { userId, email } = await seedUser(service.deps)
  await addMember(service.deps, workspaceId, userId, role)
  const session = await startSession(service.deps, userId)
  if (session === undefined) throw new Error(`${email} could not be signed in`)
  const browser = createBrowser({ [sessionCookie(service.deps.config).name]: session.token })
  const urlFor = (path: string) => `${service.url}/w/${workspaceId}${path}`
  return { browser, userId, email, urlFor, open: async (path) => (await browser.open(urlFor(path))).page }
}

/** Opens a Chromium tab with the session of a signed-in user. */
export async function openTab(service: Service, chromium: Chromium, user: SignedInUser): Promise<Tab> {
  // Turns off transitions: during one, a color is between the old and the new, so axe would report some colors at random.
  const context = await chromium.newContext({ reducedMotion: 'reduce' })
  const cookies = user.browser.cookies().map((cookie) => {
    const [name = '', value = ''] = cookie.split('=')
    return { name, value, url: service.url }
  })
  await context.addCookies(cookies)
  return context.newPage()
}

interface AxeResults {
  violations: {
    id: string
    impact: string
    help: string
    nodes: { html: string; failureSummary: string }[]
  }[]
}

const axe = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Rules whose issues axe rates only moderate. They check landmarks, which help screen-reader users find the parts of a page. */
const landmarkRules = ['landmark-unique', 'region']

/** Checks the tab's page with axe-core. Fails on serious and critical issues, and on any issue of `landmarkRules`. */
export async function expectAccessible(tab: Tab): Promise<void> {
  if (!(await tab.evaluate("'axe' in window"))) await tab.evaluate(await axe)
  const { violations } = await tab.evaluate<AxeResults>(
    "axe.run({ resultTypes: ['violations'], preload: false })",
  )
  const seriousViolations = violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || landmarkRules.includes(id))
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => ({ id, help, html, failureSummary })),
    )
  expect(seriousViolations).toEqual([])
}

/** Creates a user without a workspace, and signs in. */
export async function seedUserWithoutWorkspace(
  service: Service,
): Promise<{ browser: Browser; userId: number; email: string }> {
  const { userId, email } = await seedUser(service.deps)
  const { browser } = await signIn(service, email)
  return { browser, userId, email }
}

/** Tries to sign in with a new browser. */
export async function signIn(
  service: Pick<Service, 'url'>,
  email: string,
  typedPassword = password,
): Promise<{ browser: Browser; page: Page }> {
  const browser = createBrowser()
  const { page: form } = await browser.open(`${service.url}/sign-in`)
  const { page } = await browser.press(form, 'Sign in', { email, password: typedPassword })
  return { browser, page }
}

/** Returns the link that a page shows only once. */
export function getLink(page: Page): string {
  const link = /<pre id="link">([^<]+)<\/pre>/.exec(page.html)?.[1]
  if (link === undefined) throw new Error(`no link on this page: ${page.text}`)
  return link
}

/** Returns the secret that a page shows only once, or empty text if the page shows none. */
export const getSecret = (page: Page): string => /id="secret">([^<]+)</.exec(page.html)?.[1] ?? ''

/** Lists calls over the API with an API key or an access token. */
export const listCallsOverApi = (service: Service, key: string): Promise<Response> =>
  fetch(`${service.url}/api/public/v1/calls/`, { headers: { authorization: `Bearer ${key}` } })
