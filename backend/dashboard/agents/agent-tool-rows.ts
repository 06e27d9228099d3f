import { badge } from '../../views/elements.ts'
import type { PageForm } from '../../views/forms.ts'
import { button, confirm } from '../../views/forms.ts'
import { type Html, html } from '../../views/html.ts'
import type { Ui } from '../page/page-model.ts'
import type { AgentTool } from './agent-tool-pages.ts'

/** Lists tools on an agent's page. */
export const agentToolRows = ({
  ui,
  form,
  agentId,
  tools,
}: {
  ui: Ui
  form: PageForm
  agentId: number
  tools: readonly AgentTool[]
}): Html => html`
  <ul class="tool-list">
    ${tools.map(
      (tool) => html`
        <li>
          <div class="tool-about">
            <p class="row">
              <a href="${ui.to(`/tools/${tool.id}`)}"><strong>${tool.name}</strong></a>
              ${badge(tool.badge)}
            </p>
            <p class="soft small-text">${tool.description}</p>
            ${tool.issue ? html`<p class="small-text found-unknown">${tool.issue}</p>` : null}
          </div>
          <div class="row">
            ${
              !tool.isAssigned
                ? tool.hasConfig
                  ? html`
                    <a
                      class="button quiet small"
                      href="${ui.to(`/agents/${agentId}/tools/${tool.id}`)}"
                      aria-label="Assign ${tool.name}"
                    >Assign</a>
                  `
                  : button({
                      form,
                      action: ui.to(`/agents/${agentId}/tools/${tool.id}/assign`),
                      label: 'Assign',
                      title: `Assign ${tool.name}`,
                    })
                : html`
                  <a
                    class="button quiet small"
                    href="${ui.to(`/agents/${agentId}/tools/${tool.id}/try`)}"
                    aria-label="Try ${tool.name}"
                    hx-get="${ui.to(`/agents/${agentId}/tools/${tool.id}/try`)}"
                    hx-sync="#try:replace"
                    hx-target="#try"
                    hx-select="#try"
                    hx-swap="outerHTML show:top ignoreTitle:true"
                  >Try</a>
                  ${
                    tool.hasConfig &&
                    html`
                      <a
                        class="button quiet small"
                        href="${ui.to(`/agents/${agentId}/tools/${tool.id}`)}"
                        aria-label="Configure ${tool.name}"
                      >Configure</a>
                    `
                  }
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
          </div>
        </li>
      `,
    )}
  </ul>
`
