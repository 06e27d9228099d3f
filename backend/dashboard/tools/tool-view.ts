import { formatToolKind, toolActiveBadge } from '../../platform/views/badges.ts'
import { badge } from '../../platform/views/elements.ts'
import { formatPlural } from '../../platform/views/format.ts'
import { button, confirm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { HttpSettings, RemoteSettings } from '../../tools/custom/tool-settings.ts'
import type { ToolDetails } from '../../tools/tool-catalog.ts'
import type { AgentWithCounts } from '../agents/agent-queries.ts'
import { defineView } from '../page/define-page.ts'
import { toggleButton } from './tool-toggle.ts'

interface ToolData {
  tool: ToolDetails
  /** The agents that have the tool. */
  agents: readonly AgentWithCounts[]
}

export const toolView = defineView(({ ui, form }, { tool, agents }: ToolData) => {
  const isReadable = tool.definitions !== 'unreadable'
  const offers = tool.definitions === 'unreadable' ? [] : tool.definitions
  const isServer = tool.kind === 'remote_mcp'
  const editPath = toEditPath(tool)
  const facts = listFacts(tool)
  return html`
    <a class="crumb" href="${ui.to('/tools')}">${icon('back')} Tools</a>
    <div class="page-head">
      <div>
        <h1>${tool.name}</h1>
        <p class="row">${badge(toolActiveBadge(tool.isActive))} <span class="soft small-text">${formatToolKind(tool.kind)}</span></p>
      </div>
      <div class="page-head-actions">
        ${
          isServer &&
          isReadable &&
          html`
            <a class="button primary small" href="${ui.to(`/tools/${tool.id}/choose`)}">Select tools</a>
            ${button({ form, action: ui.to(`/tools/${tool.id}/refresh`), label: 'Refresh tools' })}
          `
        }
        ${editPath !== null && isReadable && html`<a class="button quiet small" href="${ui.to(editPath)}">Edit</a>`}
        ${toggleButton({ ui, form }, tool)}
        ${
          editPath !== null &&
          confirm({
            form,
            id: 'delete',
            action: ui.to(`/tools/${tool.id}/delete`),
            label: 'Delete',
            question: `Delete the tool “${tool.name}”?`,
            detail: formatDeleteDetail(agents.length),
            confirm: 'Delete tool',
          })
        }
      </div>
    </div>
    ${
      !isReadable &&
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
                ${isServer ? 'No tools selected yet. Select the tools that agents can use.' : "Agents can't see this tool."}
              </p>
            `
          }
          ${offers.map(
            (offer) => html`
              <div class="offer">
                <p class="row">
                  <strong>${offer.name}</strong>
                  ${tool.effects.includes(offer.name) ? badge({ tone: 'warn', text: 'Changes data' }) : badge({ tone: 'mute', text: 'Read-only' })}
                </p>
                <p class="soft small-text">${offer.description}</p>
                <details class="tool-call"><summary>Arguments</summary><pre tabindex="0">${JSON.stringify(offer.inputSchema, null, 2)}</pre></details>
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
              ${tool.secretNames.length > 0 && html`<p class="hint">You can replace secrets, but you can't view them.</p>`}
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
  `
})

function formatDeleteDetail(agentCount: number): string {
  if (agentCount === 0) return "No agents use this tool. You can't undo the deletion."
  const agents = formatPlural(agentCount, 'agent loses', 'agents lose')
  return `${agents} it immediately, even on calls in progress. You can't undo the deletion.`
}

/** Returns the path of the page that edits a tool. Null for a built-in tool. */
function toEditPath({ id, kind }: Pick<ToolDetails, 'id' | 'kind'>): string | null {
  if (kind === 'http') return `/tools/${id}/edit-http`
  return kind === 'remote_mcp' ? `/tools/${id}/edit-server` : null
}

const transports = { auto: 'Detected automatically', streamable: 'Streamable HTTP', sse: 'HTTP with SSE' }

/** Lists the settings of a custom tool. */
function listFacts({ kind, settings, secretNames }: ToolDetails): { term: string; text: string }[] {
  const sharedFacts = (headers: Record<string, string>) => [
    ...Object.entries(headers).map(([name, value]) => ({ term: 'Header', text: `${name}: ${value}` })),
    ...(secretNames.length === 0 ? [] : [{ term: 'Secrets', text: secretNames.join(', ') }]),
  ]
  const http = kind === 'http' ? HttpSettings.safeParse(settings) : undefined
  if (http?.success) {
    return [
      { term: 'Request', text: `${http.data.method} ${http.data.url}` },
      ...sharedFacts(http.data.headers),
    ]
  }
  const server = kind === 'remote_mcp' ? RemoteSettings.safeParse(settings) : undefined
  if (server?.success) {
    const { url, transport, headers } = server.data
    return [
      { term: 'URL', text: url },
      { term: 'Transport', text: transports[transport] },
      ...sharedFacts(headers),
    ]
  }
  return []
}
