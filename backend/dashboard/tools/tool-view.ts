import { type Badge } from '../../views/badges.ts'
import { badge } from '../../views/elements.ts'
import { button, confirm } from '../../views/forms.ts'
import { html } from '../../views/html.ts'
import { icon } from '../../views/icon.ts'
import { defineView } from '../page/define-page.ts'

export interface ToolData {
  tool: {
    id: number
    name: string
    description: string
    kind: string
    isActive: boolean
    badge: Badge
    toggle: Toggle
    /** Explains what deleting does. */
    deleteDetail: string
    /** Null if the tool is built in, or if its settings can't be read. */
    editPath: string | null
    isCustom: boolean
    isServer: boolean
    isReadable: boolean
  }
  facts: { term: string; text: string }[]
  hasSecrets: boolean
  offers: { name: string; description: string; hasEffects: boolean; schema: string }[]
  agents: { id: number; name: string }[]
}

export const toolView = defineView(
  ({ ui, form }, { offers, facts, hasSecrets, agents, tool }: ToolData) => html`
    <a class="crumb" href="${ui.to('/tools')}">${icon('back')} Tools</a>
    <div class="page-head">
      <div>
        <h1>${tool.name}</h1>
        <p class="row">${badge(tool.badge)} <span class="soft small-text">${tool.kind}</span></p>
      </div>
      <div class="page-head-actions">
        ${
          tool.isServer &&
          tool.isReadable &&
          html`
            <a class="button primary small" href="${ui.to(`/tools/${tool.id}/choose`)}">Select tools</a>
            ${button({ form, action: ui.to(`/tools/${tool.id}/refresh`), label: 'Refresh tools' })}
          `
        }
        ${tool.editPath ? html`<a class="button quiet small" href="${ui.to(tool.editPath)}">Edit</a>` : null}
        ${button({ form, action: ui.to(tool.toggle.path), label: tool.toggle.label })}
        ${
          tool.isCustom &&
          confirm({
            form,
            id: 'delete',
            action: ui.to(`/tools/${tool.id}/delete`),
            label: 'Delete',
            question: `Delete the tool “${tool.name}”?`,
            detail: tool.deleteDetail,
            confirm: 'Delete tool',
          })
        }
      </div>
    </div>
    ${
      !tool.isReadable &&
      html`
        <p class="notice" data-tone="bad">
          This tool's settings can't be read, so agents can't use it. Delete the tool and add it again.
        </p>
      `
    }
    ${!tool.isActive && html`<p class="notice" data-tone="warn">This tool is turned off. Agents can't use it, even if it's assigned to them.</p>`}
    <div class="columns">
      <div>
        <section class="panel" aria-labelledby="offers">
          <h2 id="offers">What agents see</h2>
          ${
            offers.length === 0 &&
            html`
              <p class="soft small-text">
                ${tool.isServer ? html`No tools selected yet. Select the tools that agents can use.` : html`Agents can't see this tool.`}
              </p>
            `
          }
          ${offers.map(
            (offer) => html`
              <div class="offer">
                <p class="row">
                  <strong>${offer.name}</strong>
                  ${offer.hasEffects ? badge({ tone: 'warn', text: 'Changes data' }) : badge({ tone: 'mute', text: 'Read-only' })}
                </p>
                <p class="soft small-text">${offer.description}</p>
                <details class="tool-call"><summary>Arguments</summary><pre tabindex="0">${offer.schema}</pre></details>
              </div>
            `,
          )}
          ${
            offers.length > 0 &&
            html`
              <p class="hint">Test calls don't run tools that change data. The agent gets a description of what would have happened.</p>
            `
          }
        </section>
      </div>
      <div>
        ${
          facts.length > 0 &&
          html`
            <section class="panel" aria-labelledby="facts">
              <h2 id="facts">Settings</h2>
              <dl class="facts">
                ${facts.map((fact) => html`<dt>${fact.term}</dt><dd class="target">${fact.text}</dd>`)}
              </dl>
              ${hasSecrets && html`<p class="hint">You can replace secrets, but you can't view them.</p>`}
            </section>
          `
        }
        <section class="panel" aria-labelledby="agents">
          <h2 id="agents">Agents with this tool</h2>
          ${
            agents.length === 0
              ? html`
                <p class="soft small-text">No agents yet. <a href="${ui.to('/agents')}">Open an agent</a> to assign this tool.</p>
              `
              : html`
                <ul class="agent-campaigns">
                  ${agents.map(
                    (agent) => html`
                      <li>
                        <a href="${ui.to(`/agents/${agent.id}`)}">${agent.name}</a>
                        <a href="${ui.to(`/agents/${agent.id}/tools/${tool.id}/try`)}" aria-label="Try with ${agent.name}">Try</a>
                      </li>
                    `,
                  )}
                </ul>
              `
          }
        </section>
      </div>
    </div>
  `,
)

/** The button that turns a tool on or off. */
export interface Toggle {
  path: string
  label: string
}
