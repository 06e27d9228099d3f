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
