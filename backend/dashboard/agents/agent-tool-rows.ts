import type { Badge } from '../../platform/views/badges.ts'
import { badge } from '../../platform/views/elements.ts'
import type { PageForm } from '../../platform/views/forms.ts'
import { button, confirm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { getConfigSchema } from '../../tools/assignments.ts'
import type { Ui } from '../page/page-model.ts'
import type { AgentTool } from './agent-tool-pages.ts'

interface AgentPage {
  ui: Ui
  form: PageForm
  agentId: number
}

/** Lists tools on an agent's page. */
export const agentToolRows = (page: AgentPage, tools: readonly AgentTool[]): Html => html`
  <ul class="tool-list">
    ${tools.map((tool) => {
      const [issue] = tool.issues ?? []
      return html`
        <li>
          <div class="tool-about">
            <p class="row">
              <a href="${page.ui.to(`/tools/${tool.id}`)}"><strong>${tool.name}</strong></a>
              ${badge(toToolBadge(tool))}
            </p>
            <p class="soft small-text">${tool.description}</p>
            ${issue === undefined ? null : html`<p class="small-text found-unknown">${issue.message}</p>`}
          </div>
          <div class="row">
            ${tool.issues === null ? assignButton(page, tool) : assignedActions(page, tool)}
          </div>
        </li>
      `
    })}
  </ul>
`

function toToolBadge({ isActive, issues }: AgentTool): Badge {
  if (!isActive) return { tone: 'mute', text: 'Off' }
  if (issues === null) return { tone: 'mute', text: 'Not assigned' }
  return issues.length === 0 ? { tone: 'good', text: 'Ready' } : { tone: 'warn', text: 'Not set up' }
}

/** Returns true if assigning the tool to an agent needs a configuration. */
const hasConfig = ({ kind }: AgentTool): boolean =>
  Object.keys(getConfigSchema(kind).properties ?? {}).length > 0

function assignButton({ ui, form, agentId }: AgentPage, tool: AgentTool): Html {
  const path = ui.to(`/agents/${agentId}/tools/${tool.id}`)
  const title = `Assign ${tool.name}`
  if (!hasConfig(tool))
    return button({
      form,
      action: ui.to(`/agents/${agentId}/tools/${tool.id}/assign`),
      label: 'Assign',
      title,
    })
  return html`<a class="button quiet small" href="${path}" aria-label="${title}">Assign</a>`
}

function assignedActions({ ui, form, agentId }: AgentPage, tool: AgentTool): Html {
  const path = ui.to(`/agents/${agentId}/tools/${tool.id}`)
  const tryPath = ui.to(`/agents/${agentId}/tools/${tool.id}/try`)
  return html`
    <a
      class="button quiet small"
      href="${tryPath}"
      aria-label="Try ${tool.name}"
      hx-get="${tryPath}"
      hx-sync="#try:replace"
      hx-target="#try"
      hx-select="#try"
      hx-swap="outerHTML show:top ignoreTitle:true"
    >Try</a>
    ${hasConfig(tool) && html`<a class="button quiet small" href="${path}" aria-label="Configure ${tool.name}">Configure</a>`}
    ${confirm({
      form,
      id: `take-${tool.id}`,
      action: ui.to(`/agents/${agentId}/tools/${tool.id}/unassign`),
      label: 'Remove',
      question: `Remove ${tool.name} from this agent?`,
      detail:
        "The agent can't use the tool anymore, even on calls in progress. The tool's configuration for this agent is deleted.",
      confirm: 'Remove tool',
    })}
  `
}
