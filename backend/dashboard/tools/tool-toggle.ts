import { button } from '../../platform/views/forms.ts'
import type { Html } from '../../platform/views/html.ts'
import type { PageModel } from '../page/page-model.ts'

interface Tool {
  id: number
  isActive: boolean
}

export const toggleLabel = ({ isActive }: Tool): string => (isActive ? 'Turn off' : 'Turn on')

/** Shows the button that turns a tool on or off. */
export const toggleButton = (
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  tool: Tool,
  title?: string,
): Html =>
  button({
    form,
    action: ui.to(tool.isActive ? `/tools/${tool.id}/switch-off` : `/tools/${tool.id}/switch-on`),
    label: toggleLabel(tool),
    ...(title !== undefined && { title }),
  })
