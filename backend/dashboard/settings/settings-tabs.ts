import { attributes, type Html, html } from '../../views/html.ts'
import type { Ui } from '../page/page-model.ts'

/** Shows the tabs of the settings. */
export const settingsTabs = ({
  ui,
  here,
}: {
  ui: Ui
  here: 'general' | 'rules' | 'members' | 'api-keys' | 'api-log'
}): Html => html`
  <nav class="tabs" aria-label="Settings">
    <a href="${ui.to('/settings')}"${attributes({ 'aria-current': here === 'general' ? 'page' : null })}>General</a>
    <a href="${ui.to('/settings/rules')}"${attributes({ 'aria-current': here === 'rules' ? 'page' : null })}>Who may be called</a>
    <a href="${ui.to('/settings/members')}"${attributes({ 'aria-current': here === 'members' ? 'page' : null })}>Members</a>
    <a href="${ui.to('/settings/api-keys')}"${attributes({ 'aria-current': here === 'api-keys' ? 'page' : null })}>API keys</a>
    <a href="${ui.to('/settings/api-log')}"${attributes({ 'aria-current': here === 'api-log' ? 'page' : null })}>API log</a>
  </nav>
`
