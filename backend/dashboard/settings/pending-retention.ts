import { time } from '../../platform/views/elements.ts'
import type { FormModel } from '../../platform/views/forms.ts'
import { button } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { ShorterRetention } from '../../privacy/change-retention.ts'
import type { Ui } from '../page/page-model.ts'

/** Shows a shorter retention that can still be undone. */
export const pendingRetention = ({
  ui,
  form,
  pending,
  isOwner,
}: {
  ui: Ui
  form: FormModel
  pending: ShorterRetention
  isOwner: boolean
}): Html => {
  const { days, at, callCount } = pending
  return html`
    <div class="notice stack" data-tone="warn" role="status">
      <p>
        From ${time(ui, at)}, conversations older than
        ${ui.plural(days, 'day')} are erased (${ui.plural(callCount, 'call')} now).
      </p>
      ${isOwner && button({ form, action: ui.to('/settings/retention/undo'), label: 'Undo' })}
    </div>
  `
}
