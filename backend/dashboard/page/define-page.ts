import type { Readable } from 'node:stream'
import * as z from 'zod'
import { validate } from '../../core/validate.ts'
import type { Deps } from '../../deps.ts'
import { EditConflictError, type FormState, hashFormVersion } from './forms.ts'
import type { PageContext } from './page-context.ts'

/** A page to look at: `GET`. */
export interface Page {
  kind: 'page'
  params: z.ZodType
  show(deps: Deps, context: PageContext): Promise<View>
}

/**
 * A page with a form: `GET` shows it, `POST` to the same address sends it. Invalid input shows the form again with
 * what was typed and what is wrong, 422.
 */
export interface FormPage {
  kind: 'form'
  params: z.ZodType
  show(deps: Deps, context: PageContext, state: FormState): Promise<View>
  /** Returns the version of what the form edits; null for a form that edits nothing. */
  currentVersion(deps: Deps, context: PageContext): Promise<string | null>
  submit(deps: Deps, context: PageContext, raw: Record<string, unknown>): Promise<Redirect | View>
  /** The most bytes of its file, for a form with one. It is sent as multipart/form-data. */
  fileLimit: number | undefined
  isOnce: boolean
}

/** A button: `POST` only. The page that it leads back to shows its errors. */
export interface Action {
  kind: 'action'
  params: z.ZodType
  run(deps: Deps, context: PageContext, raw: Record<string, unknown>): Promise<Redirect>
  back(context: PageContext): string
  isOnce: boolean
}

/** A file to save: `GET`. */
export interface Download {
  kind: 'download'
  params: z.ZodType
  send(deps: Deps, context: PageContext): Promise<DownloadedFile>
}

interface DownloadedFile {
  name: string
  type: string
  body: string | Readable
}

/** What answers at an address of a workspace. */
export type DashboardRoute = Page | FormPage | Action | Download

/** The schema of a page that reads no query, of a form without fields, and of an address without parameters. */
export const noInput = z.unknown()

type NoInput = typeof noInput

/** What every page declares: the parameters of its address. An address that doesn't match them is not found. */
interface RouteParams<Params extends z.ZodType> {
  params?: Params
}

type ContextOf<Params extends z.ZodType, Query extends z.ZodType = NoInput> = PageContext<
  z.output<Query>,
  z.output<Params>
>

/** Reads the query and gives the parameters, which were read before any work began, their type. */
const parseContext = <Params extends z.ZodType, Query extends z.ZodType>(
  context: PageContext,
  query: Query,
): ContextOf<Params, Query> => ({
  ...context,
  params: context.params as z.output<Params>,
  query: query.parse(context.query),
})

/** `query` must accept whatever people type into an address: let it fall back (`.catch`). */
export const definePage = <Query extends z.ZodType, Params extends z.ZodType = NoInput>(
  page: RouteParams<Params> & {
    query: Query
    show: (deps: Deps, context: ContextOf<Params, Query>) => Promise<View>
  },
): Page => ({
  kind: 'page',
  params: page.params ?? noInput,
  show: async (deps, context) => page.show(deps, parseContext<Params, Query>(context, page.query)),
})

/**
 * `submit` returns where to go, or a page to show this one time, such as one with a new key. `form` parses the fields,
 * all of them strings (or lists of strings); its issues appear beside the fields. Sending the same form a second time
 * does nothing and leads where the first one led, since the work and the record of it share a transaction;
 * `isOnce: false` for work that must not hold a transaction (it uses the network), or may be repeated. `loadEdited`
 * returns what the form edits: a form that was opened before somebody else changed it is not saved over that.
 */
export const defineForm = <
  Form extends z.ZodType,
  Query extends z.ZodType,
  Params extends z.ZodType = NoInput,
>(
  page: RouteParams<Params> & {
    query: Query
    form: Form
    show: (deps: Deps, context: ContextOf<Params, Query>, state: FormState) => Promise<View>
    loadEdited?: (deps: Deps, context: ContextOf<Params>) => Promise<unknown>
    submit: (deps: Deps, context: ContextOf<Params, Query>, input: z.output<Form>) => Promise<Redirect | View>
    fileLimit?: number
    isOnce?: boolean
  },
): FormPage => {
  const currentVersion: FormPage['currentVersion'] = async (deps, context) =>
    page.loadEdited
      ? hashFormVersion(await page.loadEdited(deps, parseContext<Params, NoInput>(context, noInput)))
      : null
  return {
    kind: 'form',
    params: page.params ?? noInput,
    show: async (deps, context, state) =>
      page.show(deps, parseContext<Params, Query>(context, page.query), state),
    currentVersion,
    submit: async (deps, context, raw) => {
      const input = validate(page.form, raw)
      const version = raw._seen === undefined ? null : await currentVersion(deps, context)
      if (version !== null && version !== raw._seen) throw new EditConflictError(version)
      return page.submit(deps, parseContext<Params, Query>(context, page.query), input)
    },
    fileLimit: page.fileLimit,
    isOnce: page.isOnce ?? true,
  }
}

export const defineAction = <Form extends z.ZodType, Params extends z.ZodType = NoInput>(
  action: RouteParams<Params> & {
    form: Form
    run: (deps: Deps, context: ContextOf<Params>, input: z.output<Form>) => Promise<Redirect>
    back: (context: ContextOf<Params>) => string
    isOnce?: boolean
  },
): Action => ({
  kind: 'action',
  params: action.params ?? noInput,
  run: async (deps, context, raw) =>
    action.run(deps, parseContext<Params, NoInput>(context, noInput), validate(action.form, raw)),
  back: (context) => action.back(parseContext<Params, NoInput>(context, noInput)),
  isOnce: action.isOnce ?? true,
})

export const defineDownload = <Query extends z.ZodType, Params extends z.ZodType = NoInput>(
  download: RouteParams<Params> & {
    query: Query
    send: (deps: Deps, context: ContextOf<Params, Query>) => Promise<DownloadedFile>
  },
): Download => ({
  kind: 'download',
  params: download.params ?? noInput,
  send: async (deps, context) => download.send(deps, parseContext<Params, Query>(context, download.query)),
})

/** A page that is to be rendered. */
export interface View {
  /** Path of the template from the backend's folder, without `.eta`. */
  template: string
  /** What the tab is called; the layout adds the product's name. */
  title: string
  data: object
}

/** Ties a template to its data: `const callView = template<CallData>('dashboard/calls/call-page')`. */
export const template =
  <Data extends object>(path: string): CreateView<Data> =>
  (title, data) => ({ template: path, title, data })

type CreateView<Data extends object> = (title: string, data: Data) => View

/** Where a form leads when it has done its work, and the message that the person sees there. */
export interface Redirect {
  /** A path of this service. */
  to: string
  message: string | null
}

export const redirectTo = (to: string, message: string | null = null): Redirect => ({ to, message })
