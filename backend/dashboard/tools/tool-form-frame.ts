import { formMessage, pageForm } from '../../platform/views/forms.ts'
import { type Html, html, type Slot } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import type { FormFrame } from '../page/forms.ts'
import type { PageModel } from '../page/page-model.ts'
import { toolAccessFields } from './tool-access-fields.ts'

/** Holds the values that the forms of HTTP tools and of MCP servers both show. */
export interface ToolFormFrame extends FormFrame {
  isNew: boolean
  headers: string
  /** The names of the saved secrets. */
  secretNames: readonly string[]
}

interface ToolForm {
  /** Shown for a new tool. */
  lead: string
  look: 'stack form' | 'stack form wide'
  fields: Slot
  /** Says what saving does. */
  hint?: string
}

/** Shows the form of a custom tool: its own fields, then its headers and secrets. */
export const toolFormFrame = (
  { ui, title, form }: PageModel,
  { back, isNew, headers, secretNames, submitLabel }: ToolFormFrame,
  { lead, look, fields, hint }: ToolForm,
): Html => html`
  <a class="crumb" href="${ui.to(back.path)}">${icon('back')} ${back.label}</a>
  <div>
    <h1>${title}</h1>
    ${isNew && html`<p class="lead">${lead}</p>`}
  </div>
  ${pageForm(
    form,
    { class: look, novalidate: true },
    html`
      ${formMessage(form)}
      ${fields}
      ${toolAccessFields({ form, headers, secretNames })}
      <div class="form-actions">
        <button class="primary">${submitLabel}</button>
        <a class="button quiet" href="${ui.to(back.path)}">Cancel</a>
      </div>
      ${hint === undefined ? null : html`<p class="hint">${hint}</p>`}
    `,
  )}
`
