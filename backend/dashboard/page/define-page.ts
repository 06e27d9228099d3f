import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { validate } from '../../platform/core/validate.ts'
import { lockEdited } from '../../platform/db/locks.ts'
import type { PageForm } from '../../platform/views/forms.ts'
import type { Html } from '../../platform/views/html.ts'
import { EditConflictError, type FormState, hashFormVersion } from './forms.ts'
import type { PageContext, PathContext } from './page-context.ts'
import type { PageModel } from './page-model.ts'
import type { StreamedPart, StreamFrame } from './stream-form.ts'

/** A read-only page: `GET`. */
export interface Page {
  kind: 'page'
  params: z.ZodType
  query: z.ZodType
  crossesWorkspaces: false
  toleratesLag: boolean
  show(deps: Deps, context: PageContext): Promise<View>
}

/**
 * A page with a form: `GET` shows it, `POST` to the same path submits it. If the input is invalid, the response has
 * status 422 and shows the form again, with what was entered and the issues.
 */
export interface FormPage {
  kind: 'form'
  params: z.ZodType
  query: z.ZodType
  /** The fields of the form. */
  form: z.ZodType
  crossesWorkspaces: boolean
  show(deps: Deps, context: PageContext, state: FormState): Promise<View>
  /** Returns the version of what the form edits; null for a form that edits nothing. */
  currentVersion(deps: Deps, context: PageContext): Promise<string | null>
  submit(deps: Deps, context: PageContext, raw: Record<string, unknown>): Promise<Redirect | View>
  /** Does the same as `submit`, but sends its progress to the page's script. */
  stream:
    | ((
        deps: Deps,
        context: PageContext,
        raw: Record<string, unknown>,
        frame: StreamFrame,
      ) => AsyncGenerator<StreamedPart, void>)
    | undefined
  /** Maximum file size in bytes. Set only for forms with a file, which are sent as multipart/form-data. */
  fileLimit: number | undefined
  isOnce: boolean
  isCostly: boolean
}

/** A button: `POST` only. The page that `back` returns shows its errors. */
export interface Action {
  kind: 'action'
  params: z.ZodType
  /** The fields of the form with the button. */
  form: z.ZodType
  crossesWorkspaces: boolean
  run(deps: Deps, context: PageContext, raw: Record<string, unknown>): Promise<Redirect>
  back(context: PathContext): string
  isOnce: boolean
  isCostly: boolean
}

/** A file to download: `GET`. */
export interface Download {
  kind: 'download'
  params: z.ZodType
  query: z.ZodType
  crossesWorkspaces: false
  toleratesLag: boolean
  send(deps: Deps, context: PageContext): Promise<DownloadedFile>
}

interface DownloadedFile {
  name: string
  type: string
  /** The file's content, which is fetched while the client reads it. */
  body: AsyncIterable<string>
}

/** The handler of a path in a workspace. */
export type DashboardRoute = Page | FormPage | Action | Download

/** Schema for a page without a query, a form without fields, or a path without parameters. */
export const noInput = z.unknown()

type NoInput = typeof noInput

/** The path parameters that a page declares. A path that doesn't match them returns 404. */
interface RouteParams<Params extends z.ZodType> {
  params?: Params
}

type ContextOf<Params extends z.ZodType, Query extends z.ZodType = NoInput> = PageContext<
  z.output<Query>,
  z.output<Params>
>

/** Parses the query, and adds a type to the path parameters, which `parseParams` already parsed. */
const parseContext = <Params extends z.ZodType, Query extends z.ZodType>(
  context: PageContext,
  query: Query,
): ContextOf<Params, Query> => ({
  ...context,
  params: context.params as z.output<Params>,
  query: query.parse(context.query),
})

/**
 * Says whether a page or download can use a read replica. Lists and exports set `toleratesLag`: the newest rows may be
 * missing for some seconds. The page of one object doesn't, because people follow links to objects that are new.
 */
interface ReadOptions {
  toleratesLag?: boolean
}

/** Defines a read-only page. `query` must accept any input, so give its fields a fallback (`.catch`). */
export const definePage = <Query extends z.ZodType, Params extends z.ZodType = NoInput>(
  page: RouteParams<Params> &
    ReadOptions & {
      query: Query
      show: (deps: Deps, context: ContextOf<Params, Query>) => Promise<View>
    },
): Page => ({
  kind: 'page',
  params: page.params ?? noInput,
  query: page.query,
  crossesWorkspaces: false,
  toleratesLag: page.toleratesLag ?? false,
  show: async (deps, context) => page.show(deps, parseContext<Params, Query>(context, page.query)),
})

/**
 * Defines a page with a form.
 *
 * - `form` parses the fields, which are strings or lists of strings. Its issues appear next to the fields.
 * - `submit` returns a redirect, or a page that is shown only once, such as a page with a new key.
 * - `stream` does the same as `submit`, but sends its progress to the page's script. It isn't in a transaction.
 * - `loadEdited` returns what the form edits. If someone else changed it after the form was opened, nothing is saved.
 * - `isOnce` (default: true) makes a second submission of the same form do nothing and redirect to the same page. The
 *   work and its record share a transaction. Use `false` for work that can be repeated, or that uses the network and
 *   so must not hold a transaction.
 * - `isCostly` (default: true for files and if `isOnce` is false) sets a lower rate limit, for work that reads files,
 *   compiles schemas, or uses the network.
 * - `crossesWorkspaces` (default: false) lets the form read and write rows of all workspaces. Set it for data of users.
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
    stream?: (
      deps: Deps,
      context: ContextOf<Params, Query>,
      input: z.output<Form>,
      frame: StreamFrame,
    ) => AsyncGenerator<StreamedPart, void>
    fileLimit?: number
    isOnce?: boolean
    isCostly?: boolean
    crossesWorkspaces?: boolean
  },
): FormPage => {
  const { stream } = page
  const currentVersion: FormPage['currentVersion'] = async (deps, context) =>
    page.loadEdited
      ? hashFormVersion(await page.loadEdited(deps, parseContext<Params, NoInput>(context, noInput)))
      : null
  return {
    kind: 'form',
    params: page.params ?? noInput,
    query: page.query,
    form: page.form,
    crossesWorkspaces: page.crossesWorkspaces ?? false,
    show: async (deps, context, state) =>
      page.show(deps, parseContext<Params, Query>(context, page.query), state),
    currentVersion,
    submit: async (deps, context, raw) => {
      const input = validate(page.form, raw)
      if (page.loadEdited && raw._seen !== undefined)
        await lockEdited(deps.db, context.workspace.id, JSON.stringify(context.params))
      const version = raw._seen === undefined ? null : await currentVersion(deps, context)
      if (version !== null && version !== raw._seen) throw new EditConflictError(version)
      return page.submit(deps, parseContext<Params, Query>(context, page.query), input)
    },
    stream:
      stream &&
      ((deps, context, raw, frame) =>
        stream(deps, parseContext<Params, Query>(context, page.query), validate(page.form, raw), frame)),
    fileLimit: page.fileLimit,
    isOnce: page.isOnce ?? true,
    isCostly: page.isCostly ?? (page.isOnce === false || page.fileLimit !== undefined),
  }
}

export const defineAction = <Form extends z.ZodType, Params extends z.ZodType = NoInput>(
  action: RouteParams<Params> & {
    form: Form
    run: (deps: Deps, context: ContextOf<Params>, input: z.output<Form>) => Promise<Redirect>
    back: (context: PathContext<z.output<Params>>) => string
    isOnce?: boolean
    isCostly?: boolean
    crossesWorkspaces?: boolean
  },
): Action => ({
  kind: 'action',
  params: action.params ?? noInput,
  form: action.form,
  crossesWorkspaces: action.crossesWorkspaces ?? false,
  run: async (deps, context, raw) =>
    action.run(deps, parseContext<Params, NoInput>(context, noInput), validate(action.form, raw)),
  back: ({ workspace, params }) => action.back({ workspace, params: params as z.output<Params> }),
  isOnce: action.isOnce ?? true,
  isCostly: action.isCostly ?? action.isOnce === false,
})

export const defineDownload = <Query extends z.ZodType, Params extends z.ZodType = NoInput>(
  download: RouteParams<Params> &
    ReadOptions & {
      query: Query
      send: (deps: Deps, context: ContextOf<Params, Query>) => Promise<DownloadedFile>
    },
): Download => ({
  kind: 'download',
  params: download.params ?? noInput,
  query: download.query,
  crossesWorkspaces: false,
  toleratesLag: download.toleratesLag ?? false,
  send: async (deps, context) => download.send(deps, parseContext<Params, Query>(context, download.query)),
})

/** A page to render. */
export interface View<Frame = PageModel> {
  /** Title of the browser tab. The layout adds the product name. */
  title: string
  /** Returns the page's content, without the layout around it. */
  toMarkup: (page: Frame) => Html
}

type CreateView<Frame, Data> = (title: string, data: Data) => View<Frame>

/** Ties a page's markup to its data: `const callView = defineView(({ ui }, { call }: CallData) => html'…')`. */
export const defineView =
  <Data extends object>(toMarkup: (page: PageModel, data: Data) => Html): CreateView<PageModel, Data> =>
  (title, data) => ({ title, toMarkup: (page) => toMarkup(page, data) })

/** Ties markup to data for a page that belongs to no workspace, such as sign-up. */
export const definePublicView =
  <Data extends object>(toMarkup: (page: PublicPage, data: Data) => Html): CreateView<PublicPage, Data> =>
  (title, data) => ({ title, toMarkup: (page) => toMarkup(page, data) })

/** The data of a page without a workspace. */
export interface PublicPage {
  title: string
  form: PageForm
}

/** The page to go to after a form is submitted, and the message to show there. */
export interface Redirect {
  /** A path of this service. */
  to: string
  message: string | null
  /** Path of the action that undoes what the form did, for a button next to the message. */
  undo?: string
}

export const redirectTo = (to: string, message: string | null = null): Redirect => ({ to, message })
