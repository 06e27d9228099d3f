import { createTimeFormats, formatCount, formatDuration, formatPlural } from '../../platform/views/format.ts'
import type { IconName } from '../../platform/views/icon.ts'
import type { Flash } from './flash.ts'
import { createFormModel, type FormState, toFormPath } from './forms.ts'
import { type PageContext, pathTo } from './page-context.ts'

/** The data of a workspace's page that its layout needs, its form, and the `ui` helpers. */
export type PageModel = ReturnType<typeof createPageModel>

export type Ui = PageModel['ui']

export function createPageModel(
  context: PageContext,
  title: string,
  page: {
    path: string
    csrf: string
    flash: Flash | null
    state: FormState
    now: Date
    isSimulated: boolean
    sealAuthor: (path: string) => string
  },
) {
  const { user, workspace, workspaces } = context
  const ui = createUi(context, page.now)
  return {
    ui,
    title,
    form: createFormModel(page.state, page.csrf, {
      path: toFormPath(page.path),
      sealAuthor: page.sealAuthor,
    }),
    flash: page.flash,
    here: page.path,
    isSimulated: page.isSimulated,
    user,
    workspace,
    workspaces,
    isOwner: workspace.role === 'owner',
    navigation: navigation.map((item) => {
      const address = ui.to(item.path)
      const [current = ''] = page.path.split('?')
      const isBelow = (path: string) => current === path || current.startsWith(`${path}/`)
      return {
        ...item,
        address,
        isHere: isBelow(address) || (item.also !== undefined && isBelow(ui.to(item.also))),
      }
    }),
  }
}

/** Creates the helpers that pages use for paths, times, and numbers. */
const createUi = (context: Pick<PageContext, 'workspace'>, now: Date) => ({
  ...createTimeFormats(now, context.workspace.timeZone),
  /** Returns the path of a page in this workspace. */
  to: (path: string) => pathTo(context, path),
  duration: formatDuration,
  count: formatCount,
  plural: formatPlural,
  /** Returns a code in words: `no_answer` becomes "No answer". */
  words: (code: string) => {
    const text = code.replaceAll('_', ' ')
    return text.charAt(0).toUpperCase() + text.slice(1)
  },
})

interface NavigationItem {
  path: string
  label: string
  icon: IconName
  /** Another path whose pages belong to this item. */
  also?: string
}

/** The main navigation. */
const navigation: readonly NavigationItem[] = [
  { path: '/overview', label: 'Overview', icon: 'overview' },
  { path: '/calls', label: 'Calls', icon: 'calls' },
  { path: '/campaigns', label: 'Campaigns', icon: 'campaigns' },
  { path: '/contacts', label: 'Contacts', icon: 'contacts' },
  { path: '/phone-numbers', label: 'Phone numbers', icon: 'numbers' },
  { path: '/agents', label: 'Agents', icon: 'agents' },
  { path: '/tools', label: 'Tools', icon: 'tools' },
  { path: '/knowledge', label: 'Knowledge', icon: 'knowledge', also: '/spreadsheets' },
  { path: '/integrations', label: 'Integrations', icon: 'integrations' },
  { path: '/settings', label: 'Settings', icon: 'settings' },
]
