import type { Readable } from 'node:stream'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { validate } from '../../core/validate.ts'
import { ChangedMeanwhile, digestOf } from '../changed-meanwhile.ts'
import type { FormState } from './forms.ts'
import type { Done, View } from '../view.ts'
import type { Visit } from '../visit.ts'

/** A page to look at: `GET`. */
export interface ShowLine {
  kind: 'show'
  /** Below `/w/:workspace`; `:id` is an integer, `:other` any text. */
  path: string
  show(visit: Visit): Promise<View>
}

/**
 * A page with a form: `GET` shows it, `POST` to the same address sends it. What was refused is shown again with what
 * was typed and what is wrong, 422.
 */
export interface FormLine {
  kind: 'form'
  path: string
  show(visit: Visit, state: FormState): Promise<View>
  /** Which state of what it edits is shown now; null for a form that edits nothing. */
  seen(deps: Deps, visit: Visit): Promise<string | null>
  submit(deps: Deps, visit: Visit, raw: Record<string, unknown>): Promise<Done | View>
  /** The most bytes of its file, for a form with one. It is sent as multipart/form-data. */
  fileLimit: number | undefined
  isOnce: boolean
}

/** A button: `POST` only. What it may not do is told on the page that it goes back to. */
export interface ActLine {
  kind: 'act'
  path: string
  act(deps: Deps, visit: Visit, raw: Record<string, unknown>): Promise<Done>
  back(visit: Visit): string
  isOnce: boolean
}

/** Something to keep: `GET`. */
export interface FileLine {
  kind: 'file'
  path: string
  send(visit: Visit): Promise<{ name: string; type: string; body: string | Readable }>
}

export type Line = ShowLine | FormLine | ActLine | FileLine

/** A file of a form with a `fileLimit`, as its schema finds it under the field's name. */
export interface UploadedFile {
  name: string
  type: string
  bytes: Buffer
  /** More was sent than the limit: `bytes` ends there. */
  isTooLarge: boolean
}

/** The schema of a line that reads no query, or no fields. */
export const none = z.unknown()

/** `query` must take whatever people type into an address: let it fall back (`.catch`). */
export const show = <Query extends z.ZodType>(line: {
  path: string
  query: Query
  show: (visit: Visit<z.output<Query>>) => Promise<View>
}): ShowLine => ({
  kind: 'show',
  path: line.path,
  show: async (visit) => line.show({ ...visit, query: line.query.parse(visit.query) }),
})

/**
 * `submit` answers where to go, or a page to show this one time, such as one with a new key. `form` reads the fields, all of them texts (or lists of texts), by `validate`: its details appear beside the fields.
 * A second sending of the same form does nothing and leads where the first one led, since the work is one
 * transaction with the note of it; `isOnce: false` for work that must not hold a transaction (it speaks to the
 * network), or may be repeated. `edited` answers what the form edits, as it stands: a form that was opened before
 * somebody else changed it is not saved over that without a word.
 */
export const form = <Form extends z.ZodType, Query extends z.ZodType>(line: {
  path: string
  query: Query
  form: Form
  show: (visit: Visit<z.output<Query>>, state: FormState) => Promise<View>
  edited?: (deps: Deps, visit: Visit) => Promise<unknown>
  submit: (deps: Deps, visit: Visit<z.output<Query>>, input: z.output<Form>) => Promise<Done | View>
  fileLimit?: number
  isOnce?: boolean
}): FormLine => {
  const seen: FormLine['seen'] = async (deps, visit) =>
    line.edited ? digestOf(await line.edited(deps, visit)) : null
  return {
    kind: 'form',
    path: line.path,
    show: async (visit, state) => line.show({ ...visit, query: line.query.parse(visit.query) }, state),
    seen,
    submit: async (deps, visit, raw) => {
      const input = validate(line.form, raw)
      const now = raw._seen === undefined ? null : await seen(deps, visit)
      if (now !== null && now !== raw._seen) throw new ChangedMeanwhile(now)
      return line.submit(deps, { ...visit, query: line.query.parse(visit.query) }, input)
    },
    fileLimit: line.fileLimit,
    isOnce: line.isOnce ?? true,
  }
}

export const act = <Form extends z.ZodType>(line: {
  path: string
  form: Form
  act: (deps: Deps, visit: Visit, input: z.output<Form>) => Promise<Done>
  back: (visit: Visit) => string
  isOnce?: boolean
}): ActLine => ({
  kind: 'act',
  path: line.path,
  act: async (deps, visit, raw) => line.act(deps, visit, validate(line.form, raw)),
  back: line.back,
  isOnce: line.isOnce ?? true,
})

export const file = <Query extends z.ZodType>(line: {
  path: string
  query: Query
  send: (visit: Visit<z.output<Query>>) => Promise<{ name: string; type: string; body: string | Readable }>
}): FileLine => ({
  kind: 'file',
  path: line.path,
  send: async (visit) => line.send({ ...visit, query: line.query.parse(visit.query) }),
})
