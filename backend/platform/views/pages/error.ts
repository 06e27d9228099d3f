import { type Html, html } from '../html.ts'
import { publicLayout } from '../public-layout.ts'

interface ErrorData {
  title: string
  message: string
  advice: string
  reference: string | null
  /** Path of the link to the overview; null for no link. */
  home: string | null
}

/** Shows an error as a page. */
export const errorPage = ({ title, message, advice, reference, home }: ErrorData): Html =>
  publicLayout(
    { title },
    html`
      <h1>${title}</h1>
      <p class="lead">${message}</p>
      <p>${advice}</p>
      ${reference ? html`<p class="note">Support ID: <code>${reference}</code></p>` : null}
      ${home ? html`<p><a href="${home}">Go to the overview</a></p>` : null}
    `,
  )
