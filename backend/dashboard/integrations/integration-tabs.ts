import { tabs } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'

const pages = [
  { path: '/integrations', label: 'Connect Zapier' },
  { path: '/integrations/apps', label: 'Connected apps' },
  { path: '/integrations/webhooks', label: 'Webhooks' },
  { path: '/integrations/real-calls', label: 'Real calls' },
] as const

/** Shows the heading and tabs of every integration page. */
export const integrationTabs = ({ ui, here }: { ui: Ui; here: (typeof pages)[number]['path'] }): Html => html`
  <div class="page-head">
    <div>
      <h1>Integrations</h1>
      <p class="lead">Connect Zapier or your own code to this workspace.</p>
    </div>
  </div>
  ${tabs(ui, { label: 'Integrations', pages, here })}
`
