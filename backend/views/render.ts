import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'

/** What each page of `pages/` is given. Text is escaped by the templates. */
export interface Pages {
  'sign-in': {
    title: string
    csrf: string
    /** Where the form is posted. */
    action: string
    /** The app that waits for the sign-in; null on the page of its own. */
    app: AskingApp | null
    email: string
    error: string | null
  }
  consent: {
    title: string
    csrf: string
    /** The address of this authorization; its forms post below it. */
    path: string
    app: AskingApp
    person: { userId: number; name: string; email: string }
    workspaces: { workspaceId: number; workspaceName: string }[]
    abilities: string[]
    error: string | null
  }
  'signed-in': { title: string; csrf: string; person: { name: string; email: string } }
  error: { title: string; message: string; advice: string; reference: string | null }
}

export interface AskingApp {
  name: string
  /** Host that the answer goes to, so that a person sees who gets it. */
  host: string
  cancelPath: string
}

export type RenderPage = <Name extends keyof Pages>(name: Name, data: Pages[Name]) => string

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The folder that is served under `/assets/`. */
export const assetsFolder = here('assets')

/** Pages as HTML documents. Assets have addresses that change with their content, so that they are cached for good. */
export function createPages(): RenderPage {
  const eta = new Eta({ views: here('.'), cache: true, autoTrim: false })
  const content = ['assets/outdial.css', 'assets/icon.svg'].map((path) => readFileSync(here(path)))
  const version = createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 12)
  return (name, data) => eta.render(`./pages/${name}`, { ...data, version })
}
