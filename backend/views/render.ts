import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'
import { labels } from './labels.ts'

/** The data of each page in `pages/`. Templates escape text. */
interface Pages {
  'sign-in': {
    title: string
    csrf: string
    /** The path that the form posts to. */
    action: string
    /** The app that the user is connecting; null when signing in to the dashboard. */
    app: ConnectingApp | null
    /** True if there are no users yet, so that the first one can sign up. */
    canSignUp: boolean
    /** True if a form was submitted after the session ended. It wasn't processed. */
    isFormLost: boolean
    /** The same form, sealed, if the user gets it back after signing in; null if not. */
    sealedForm: string | null
    email: string
    error: string | null
  }
  consent: {
    title: string
    csrf: string
    /** The path of this authorization. Its forms post to paths below it. */
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
    /** Path of the link to the overview; null for no link. */
    home: string | null
  }
}

export interface ConnectingApp {
  name: string
  /** The host that receives the response. Shown to the user. */
  host: string
  cancelPath: string
}

export type RenderPage = <Name extends keyof Pages>(name: Name, data: Pages[Name]) => string

/** Renders a template by its path, relative to the backend folder and without `.eta`: `dashboard/calls/call-page`. */
export type Render = (template: string, data: object) => string

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The folder served under `/assets/`. */
export const assetsFolder = resolvePath('assets')

/** Reads htmx, which refreshes the live parts of pages, from its package. */
export const readHtmx = (): Buffer =>
  readFileSync(fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')))

const assets = ['outdial.css', 'dashboard.css', 'outdial.js', 'icon.svg']

/** Creates the renderer of HTML pages. Asset URLs change with their content, so that browsers can cache them. */
export function createRender(): Render {
  const eta = new Eta({
    views: resolvePath('..'),
    cache: true,
    autoTrim: false,
    autoFilter: true,
    filterFunction: toText,
    functionHeader: 'const { ui, form, labels } = it;',
    plugins: [{ processTemplate: (text) => isolateIncludes + text }],
  })
  const content = [...assets.map((name) => readFileSync(resolvePath(`assets/${name}`))), readHtmx()]
  const version = createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 12)
  return (template, data) => eta.render(`/${template}`, { ...data, labels, version })
}

/** Creates the renderer of the pages in `pages/`, which checks the type of their data. */
export const createPageRenderer =
  (render: Render): RenderPage =>
  (name, data) =>
    render(`views/pages/${name}`, data)

/**
 * Limits what included templates see. By default, Eta passes them the page's whole data, and a component would use the
 * page's `title` or `rows` as its own. With this, they see only their own data, `ui`, `form`, and `labels`.
 */
const isolateIncludes =
  '<% include = (path, data) => this.render(path, { ui, form, labels, ...data }, options) %>'

/** Throws if a template outputs a missing value, so that pages never show "undefined". */
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && !Number.isNaN(value)) return String(value)
  throw new TypeError(`template output must be text or a number, not ${String(value)}`)
}
