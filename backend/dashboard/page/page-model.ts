import { randomUUID } from 'node:crypto'
import type { Flash } from './flash.ts'
import type { FormState } from './forms.ts'
import { navigation } from '../navigation.ts'
import { createUi } from './format.ts'
import type { View } from '../view.ts'
import type { PageContext } from '../visit.ts'

/** What a template is given: its own data, the frame around it, and `ui` to write times and addresses with. */
export function createPageModel(
  context: PageContext,
  view: View,
  page: { path: string; csrf: string; flash: Flash | null; state: FormState; now: Date },
) {
  const { user, workspace, workspaces } = context
  const ui = createUi(context, page.now)
  return {
    ...view.data,
    ui,
    title: page.state.isInvalid ? `Error: ${view.title}` : view.title,
    form: { ...page.state, csrf: page.csrf, once: randomUUID() },
    flash: page.flash,
    here: page.path,
    person: user,
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
