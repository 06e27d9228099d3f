import { RuntimeReport } from '@outdial/contract'
import Fastify from 'fastify'
import type * as z from 'zod'
import { ConsentForm } from '../../accounts/oauth/consent-pages.ts'
import { type BrowserAuth, SignInForm } from '../../accounts/sign-in/browser-auth.ts'
import { apiPrefix, routes as apiRoutes } from '../../api/routes.ts'
import { publicForms } from '../../dashboard/routes.ts'
import { NextQuery, SignInQuery } from '../../dashboard/sign-in/sign-in-pages.ts'
import type { Deps } from '../../deps.ts'
import { attemptReportsPath } from '../../platform/core/runtime-paths.ts'
import { listDashboardRoutes } from './page-paths.ts'
import { publicRoutes } from './service-routes.ts'

/** The schema of one part of a route's requests. */
interface Input {
  method: string
  /** The path as in the table of routes, with the API's or the dashboard's prefix. */
  path: string
  part: 'params' | 'query' | 'body'
  schema: z.ZodType
}

/** Returns the inputs of every route in the tables of the API and the dashboard, and of the routes outside of them. */
export const listInputs = (deps: Deps): Input[] => [
  ...listApiInputs(),
  ...listPageInputs(deps),
  ...listOtherInputs(deps),
]

const listApiInputs = (): Input[] =>
  apiRoutes.flatMap(({ method, path, query, body }): Input[] => [
    { method, path: `${apiPrefix}${path}`, part: 'query', schema: query },
    { method, path: `${apiPrefix}${path}`, part: 'body', schema: body },
  ])

const listPageInputs = (deps: Deps): Input[] =>
  listDashboardRoutes(deps).flatMap((route): Input[] => {
    const path = `/w/:workspace${route.path}`
    return [
      { method: route.kind === 'action' ? 'POST' : 'GET', path, part: 'params', schema: route.params },
      ...('query' in route ? [{ method: 'GET', path, part: 'query' as const, schema: route.query }] : []),
      ...('form' in route ? [{ method: 'POST', path, part: 'body' as const, schema: route.form }] : []),
    ]
  })

/**
 * Routes outside the tables of the API and the dashboard. Most read only their path, whose parts have at most 100 characters.
 * Other code reads the input of the OAuth server's and the API documentation's routes.
 */
export const routesWithoutInput = [
  ...publicRoutes.filter((route) => route !== 'GET /sign-in'),
  'GET /workspaces/new',
  'GET /invitations/:token',
  'GET /reset-password/:token',
  'GET /w/:workspace',
  'GET /oauth/authorize',
  'GET /oauth/authorize/:uid',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'GET /connect/:uid',
  'POST /connect/:uid/cancel',
  'POST /connect/:uid/sign-out',
]

/** Returns the inputs of the forms outside the dashboard, including sign-in and consent, and of attempt reports. */
function listOtherInputs(deps: Deps): Input[] {
  const inputs: Input[] = [
    { method: 'GET', path: '/sign-in', part: 'query', schema: SignInQuery },
    { method: 'POST', path: '/sign-in', part: 'body', schema: SignInForm },
    { method: 'POST', path: '/sign-out', part: 'query', schema: NextQuery },
    { method: 'POST', path: '/connect/:uid/sign-in', part: 'body', schema: SignInForm },
    { method: 'POST', path: '/connect/:uid/allow', part: 'body', schema: ConsentForm },
    { method: 'POST', path: attemptReportsPath(':id'), part: 'body', schema: RuntimeReport },
  ]
  const app = Fastify()
  app.addHook('onRoute', ({ method, path, config }) => {
    if (config?.form !== undefined)
      inputs.push({ method: String(method), path, part: 'body', schema: config.form })
  })
  // Empty values are enough here, because mounting a form only registers its routes.
  const parts = { browserAuth: {} as BrowserAuth, isSecure: false }
  for (const [path, mount] of Object.entries(publicForms)) mount(app, deps, { path, ...parts })
  return inputs
}
