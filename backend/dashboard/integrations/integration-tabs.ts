import { attributes, type Html, html } from '../../views/html.ts'
import type { Ui } from '../page/page-model.ts'

/** Shows the heading and tabs of every integration page. */
export const integrationTabs = ({
  ui,
  here,
}: {
  ui: Ui
  here: 'connect' | 'apps' | 'webhooks' | 'real-calls'
}): Html => html`
  <div class="page-head">
    <div>
      <h1>Integrations</h1>
      <p class="lead">Connect Zapier or your own code to this workspace.</p>
    </div>
  </div>
  <nav class="tabs" aria-label="Integrations">
    <a href="${ui.to('/integrations')}"${attributes({ 'aria-current': here === 'connect' ? 'page' : null })}>Connect Zapier</a>
    <a href="${ui.to('/integrations/apps')}"${attributes({ 'aria-current': here === 'apps' ? 'page' : null })}>Connected apps</a>
    <a href="${ui.to('/integrations/webhooks')}"${attributes({ 'aria-current': here === 'webhooks' ? 'page' : null })}>Webhooks</a>
    <a href="${ui.to('/integrations/real-calls')}"${attributes({ 'aria-current': here === 'real-calls' ? 'page' : null })}>Real calls</a>
  </nav>
`
