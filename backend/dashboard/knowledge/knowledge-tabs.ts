import { attributes, type Html, html } from '../../views/html.ts'
import type { Ui } from '../page/page-model.ts'

/** Shows the tabs of what agents know. */
export const knowledgeTabs = ({ ui, here }: { ui: Ui; here: 'documents' | 'spreadsheets' }): Html => html`
  <nav class="tabs" aria-label="Knowledge">
    <a href="${ui.to('/knowledge')}"${attributes({ 'aria-current': here === 'documents' ? 'page' : null })}>Documents</a>
    <a href="${ui.to('/spreadsheets')}"${attributes({ 'aria-current': here === 'spreadsheets' ? 'page' : null })}>Spreadsheets</a>
  </nav>
`
