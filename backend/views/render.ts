import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'

/** What each page of `pages/` is given. Text is escaped by the templates. */
interface Pages {
  'sign-in': {
    title: string
    csrf: string
    /** Where the form is posted. */
    action: string
    /** The app that waits for the sign-in; null on the page of its own. */
    app: ConnectingApp | null
    /** There is no user yet: the first one may make an account. */
    canSignUp: boolean
    /** A form was sent after the session had ended: nothing was done with it. */
    isFormLost: boolean
    email: string
    error: string | null
  }
  consent: {
    title: string
    csrf: string
    /** The address of this authorization; its forms post below it. */
    path: string
    app: ConnectingApp
    user: { userId: number; name: string; email: string }
    workspaces: { id: number; name: string }[]
    abilities: string[]
    error: string | null
  }
  error: {
    title: string
    message: string
    advice: string
    reference: string | null
    /** Where to go on from here. */
    home: string | null
  }
}

export interface ConnectingApp {
  name: string
  /** Host that the answer goes to, so that a person sees who gets it. */
  host: string
  cancelPath: string
}

export type RenderPage = <Name extends keyof Pages>(name: Name, data: Pages[Name]) => string

/** Renders a template of the backend, by its path from there without `.eta`: `dashboard/calls/list`. */
export type Render = (template: string, data: object) => string

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The folder that is served under `/assets/`. */
export const assetsFolder = resolvePath('assets')

/** The script that moves the live parts of pages, from its package. */
export const readHtmx = (): Buffer =>
  readFileSync(fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')))

const assets = ['outdial.css', 'dashboard.css', 'outdial.js', 'icon.svg']

/** HTML documents. Assets have addresses that change with their content, so that they are cached for good. */
export function createRender(): Render {
  const eta = new Eta({
    views: resolvePath('..'),
    cache: true,
    autoTrim: false,
    autoFilter: true,
    filterFunction: toText,
    functionHeader: 'const { ui, form } = it;',
    plugins: [{ processTemplate: (text) => isolateIncludes + text }],
  })
  const content = [...assets.map((name) => readFileSync(resolvePath(`assets/${name}`))), readHtmx()]
  const version = createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 12)
  return (template, data) => eta.render(`/${template}`, { ...data, version })
}

/** The pages of signing in and connecting, with what each of them needs. */
export const createPageRenderer =
  (render: Render): RenderPage =>
  (name, data) =>
    render(`views/pages/${name}`, data)

/**
 * Eta hands a page's whole data on to what it includes: a component would take a page's `title` or `rows` for its own.
 * Here it sees what it is given, and the two that every template may use.
 */
const isolateIncludes = '<% include = (path, data) => this.render(path, { ui, form, ...data }, options) %>'

/** A template that names what it was not given must fail, not tell a person "undefined". */
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && !Number.isNaN(value)) return String(value)
  throw new TypeError(`a template may write text and numbers, not ${String(value)}`)
}
