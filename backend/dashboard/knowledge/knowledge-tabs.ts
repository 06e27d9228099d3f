import { tabs } from '../../platform/views/elements.ts'
import type { Html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'

const pages = [
  { path: '/knowledge', label: 'Documents' },
  { path: '/spreadsheets', label: 'Spreadsheets' },
] as const

/** Shows the tabs of the pages about what agents know. */
export const knowledgeTabs = ({ ui, here }: { ui: Ui; here: (typeof pages)[number]['path'] }): Html =>
  tabs(ui, { label: 'Knowledge', pages, here })
