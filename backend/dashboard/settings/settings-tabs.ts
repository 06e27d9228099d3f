import { tabs } from '../../platform/views/elements.ts'
import type { Html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'

const pages = [
  { path: '/settings', label: 'General' },
  { path: '/settings/rules', label: 'Who may be called' },
  { path: '/settings/members', label: 'Members' },
  { path: '/settings/api-keys', label: 'API keys' },
  { path: '/settings/api-log', label: 'API log' },
] as const

/** Shows the tabs of the settings. */
export const settingsTabs = ({ ui, here }: { ui: Ui; here: (typeof pages)[number]['path'] }): Html =>
  tabs(ui, { label: 'Settings', pages, here })
