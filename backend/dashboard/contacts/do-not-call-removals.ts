import { time } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'

interface Removal {
  source: string
  reason: string
  at: Date
  by: string
}

/** Says who removed a number from the do-not-call list, and why. */
export const doNotCallRemovals = ({ ui, removals }: { ui: Ui; removals: readonly Removal[] }): Html => html`
  <ul class="contact-notes">
    ${removals.map(
      (removal) => html`
        <li>
          <p>${removal.reason}</p>
          <p class="soft small-text">
            Removed by ${removal.by}, ${time(ui, removal.at)}. Originally
            ${removal.source}.
          </p>
        </li>
      `,
    )}
  </ul>
`
