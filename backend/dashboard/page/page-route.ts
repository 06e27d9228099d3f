import type { Readable } from 'node:stream'
import * as z from 'zod'
import { validate } from '../../core/validate.ts'
import type { Deps } from '../../deps.ts'
import { EditConflictError, type FormState, hashEdited } from './forms.ts'
import type { PageContext } from './page-context.ts'

/** A page to look at: `GET`. */
export interface PageRoute {
  kind: 'show'
  /** Below `/w/:workspace`; `:id` is an integer, `:other` any text. */
  path: string
  show(context: PageContext): Promise<View>
}

/**
 * A page with a form: `GET` shows it, `POST` to the same address sends it. What was refused is shown again with what
 * was typed and what is wrong, 422.
 */
export interface FormRoute {
  kind: 'form'
  path: string
  show(context: PageContext, state: FormState): Promise<View>
  /** Which state of what it edits is shown now; null for a form that edits nothing. */
  currentVersion(deps: Deps, context: PageContext): Promise<string | null>
  submit(deps: Deps, context: PageContext, raw: Record<string, unknown>): Promise<Redirect | View>
  /** The most bytes of its file, for a form with one. It is sent as multipart/form-data. */
  fileLimit: number | undefined
  isOnce: boolean
}

/** A button: `POST` only. What it may not do is told on the page that it goes back to. */
export interface ActionRoute {
  kind: 'act'
  path: string
  run(deps: Deps, context: PageContext, raw: Record<string, unknown>): Promise<Redirect>
  back(context: PageContext): string
  isOnce: boolean
}

/** Something to keep: `GET`. */
export interface DownloadRoute {
  kind: 'file'
  path: string
  send(context: PageContext): Promise<{ name: string; type: string; body: string | Readable }>
}

export type DashboardRoute = PageRoute | FormRoute | ActionRoute | DownloadRoute

/** The schema of a line that reads no query, or no fields. */
export const noInput = z.unknown()

/** `query` must take whatever people type into an address: let it fall back (`.catch`). */
export const pageRoute = <Query extends z.ZodType>(route: {
  path: string
  query: Query
  show: (context: PageContext<z.output<Query>>) => Promise<View>
}): PageRoute => ({
  kind: 'show',
  path: route.path,
  show: async (context) => route.show({ ...context, query: route.query.parse(context.query) }),
})

/**
 * `submit` answers where to go, or a page to show this one time, such as one with a new key. `form` reads the fields, all of them texts (or lists of texts), by `validate`: its details appear beside the fields.
 * A second sending of the same form does nothing and leads where the first one led, since the work is one
 * transaction with the note of it; `isOnce: false` for work that must not hold a transaction (it speaks to the
 * network), or may be repeated. `edited` answers what the form edits, as it stands: a form that was opened before
 * somebody else changed it is not saved over that without a word.
 */
export const formRoute = <Form extends z.ZodType, Query extends z.ZodType>(route: {
  path: string
  query: Query
  form: Form
  show: (context: PageContext<z.output<Query>>, state: FormState) => Promise<View>
  loadEdited?: (deps: Deps, context: PageContext) => Promise<unknown>
  submit: (
    deps: Deps,
    context: PageContext<z.output<Query>>,
    input: z.output<Form>,
  ) => Promise<Redirect | View>
  fileLimit?: number
  isOnce?: boolean
}): FormRoute => {
  const currentVersion: FormRoute['currentVersion'] = async (deps, context) =>
    route.loadEdited ? hashEdited(await route.loadEdited(deps, context)) : null
  return {
    kind: 'form',
    path: route.path,
    show: async (context, state) =>
      route.show({ ...context, query: route.query.parse(context.query) }, state),
    currentVersion,
    submit: async (deps, context, raw) => {
      const input = validate(route.form, raw)
      const version = raw._seen === undefined ? null : await currentVersion(deps, context)
      if (version !== null && version !== raw._seen) throw new EditConflictError(version)
      return route.submit(deps, { ...context, query: route.query.parse(context.query) }, input)
    },
    fileLimit: route.fileLimit,
    isOnce: route.isOnce ?? true,
  }
}

export const actionRoute = <Form extends z.ZodType>(route: {
  path: string
  form: Form
  run: (deps: Deps, context: PageContext, input: z.output<Form>) => Promise<Redirect>
  back: (context: PageContext) => string
  isOnce?: boolean
}): ActionRoute => ({
  kind: 'act',
  path: route.path,
  run: async (deps, context, raw) => route.run(deps, context, validate(route.form, raw)),
  back: route.back,
  isOnce: route.isOnce ?? true,
})

export const downloadRoute = <Query extends z.ZodType>(route: {
  path: string
  query: Query
  send: (
    context: PageContext<z.output<Query>>,
  ) => Promise<{ name: string; type: string; body: string | Readable }>
}): DownloadRoute => ({
  kind: 'file',
  path: route.path,
  send: async (context) => route.send({ ...context, query: route.query.parse(context.query) }),
})

/** A page that is to be rendered. */
export interface View {
  /** Path of the template from the backend's folder, without `.eta`. */
  template: string
  /** What the tab is called; the layout adds the product's name. */
  title: string
  data: object
}

/** Ties a template to what it needs: `const show = template<{ calls: Call[] }>('dashboard/calls/call-list-page')`. */
export const template =
  <Data extends object>(path: string) =>
  (title: string, data: Data): View => ({ template: path, title, data })

/** Where a form leads when it has done its work, and what the person is told there. */
export interface Redirect {
  /** A path of this service. */
  to: string
  message: string | null
}

export const redirectTo = (to: string, message: string | null = null): Redirect => ({ to, message })
