import { type Browser, createBrowser, type Page } from '../support/browser.ts'
import { password, type Workspace } from './seed-workspace.ts'

/** A member who uses one process's dashboard for actions that the API doesn't have. */
export class Dashboard {
  readonly #workspace: Workspace
  readonly #origin: string
  #browser: Browser | undefined

  constructor(workspace: Workspace, origin: string) {
    this.#workspace = workspace
    this.#origin = origin
  }

  /**
   * Fills in a form on a page of the workspace, and presses its button. Returns undefined if the service isn't available, if
   * the page doesn't have the button, or if it's unknown what the request did.
   */
  async press(path: string, button: string, fields: Record<string, string> = {}): Promise<Page | undefined> {
    try {
      this.#browser ??= await this.#signIn()
      const { page } = await this.#browser.open(`${this.#origin}/w/${this.#workspace.id}${path}`)
      const result = await this.#browser.press(page, button, fields)
      return result.page.status === 200 ? result.page : undefined
    } catch {
      return undefined
    }
  }

  async #signIn(): Promise<Browser> {
    const browser = createBrowser()
    const { page } = await browser.open(`${this.#origin}/sign-in`)
    const { email } = this.#workspace
    const result = await browser.press(page, 'Sign in', { email, password })
    if (result.page.status !== 200) throw new Error(`sign-in failed: ${result.page.status}`)
    return browser
  }
}
