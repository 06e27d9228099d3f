import type { Call } from '@outdial/contract'
import { agentBadge, callBadge, campaignBadge } from '../../platform/views/badges.ts'
import { badge, copyable, time } from '../../platform/views/elements.ts'
import { formatContactName, languageName } from '../../platform/views/format.ts'
import { button, confirm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { findPlaceholderIssues } from '../../queue/agents/validate-agent.ts'
import { defaultGreeting, listNames } from '../../queue/calls/greeting.ts'
import { chatSection, type ChatSectionData } from '../chats/chat-section.ts'
import { defineView } from '../page/define-page.ts'
import type { PageModel } from '../page/page-model.ts'
import type { AgentWithCounts, selectCampaignsOfAgent } from './agent-queries.ts'
import { type AgentTool } from './agent-tool-pages.ts'
import { agentToolRows } from './agent-tool-rows.ts'
import { changeList, type FieldChange } from './version-changes.ts'

export interface AgentData {
  agent: AgentWithCounts
  /** Contains the values that the agent's form edits. */
  newest: AgentValues
  /** Says what publishing the newest version changes; null if calls use it already. */
  unpublished: {
    changes: readonly FieldChange[]
    /** Names of published results that the newest version lacks or gives another type. */
    lostResults: readonly string[]
    /** How many subscriptions receive the agent's calls. Counted only if results are lost. */
    subscriptions: number
  } | null
  /** The calls that resuming the agent starts, in words; null if none wait, or if the agent isn't paused. */
  resumeDetail: string | null
  waiting: number
  tools: readonly AgentTool[]
  campaigns: Awaited<ReturnType<typeof selectCampaignsOfAgent>>
  hasMoreCampaigns: boolean
  calls: readonly Call[]
  chat: ChatSectionData
}

export const agentView = defineView(
  (
    { ui, form },
    {
      agent,
      newest,
      unpublished,
      resumeDetail,
      waiting,
      tools,
      campaigns,
      hasMoreCampaigns,
      calls,
      chat,
    }: AgentData,
  ) => {
    const placeholderIssues = findPlaceholderIssues(newest)
    const assignedTools = tools.filter(({ issues }) => issues !== null)
    const otherTools = tools.filter(({ issues }) => issues === null)
    return html`
      <a class="crumb" href="${ui.to('/agents')}">${icon('back')} Agents</a>
      <div class="page-head">
        <div>
          <h1>${agent.name}</h1>
          <p class="row">
            ${badge(agentBadge(agent.status))}
            <span class="soft small-text">Created ${time(ui, agent.created_at, 'phrase')}</span>
          </p>
        </div>
        <div class="page-head-actions">
          ${statusActions({ ui, form }, agent, resumeDetail)}
          <a class="button quiet small" href="${ui.to(`/agents/${agent.id}/edit`)}">Edit</a>
        </div>
      </div>
      ${statusNotice({ ui }, agent, waiting)}
      ${unpublished !== null && unpublishedNotice({ ui, form }, agent, unpublished)}
      ${placeholderIssues.map(
        ({ name, message }) => html`
          <p class="notice" data-tone="warn">
            ${message}
            ${
              agent.status !== 'draft' && unpublished === null
                ? `Until then, the agent's calls have braces or gaps in the ${name}.`
                : "You can't publish the agent until then."
            }
            <a href="${ui.to(`/agents/${agent.id}/edit`)}">Edit ${name}</a>
          </p>
        `,
      )}
      ${
        newest.goal === '' &&
        newest.instructions !== '' &&
        html`
          <p class="notice">
            The agent has no goal, so its calls don't say whether they met it.
            <a href="${ui.to(`/agents/${agent.id}/edit`)}">Add a goal</a>
          </p>
        `
      }
      <div class="columns">
        <div>
          ${chatSection({ ui, form }, chat)}
          <section class="panel flush" aria-labelledby="tools">
            <h2 id="tools">Tools</h2>
            ${
              assignedTools.length === 0
                ? html`
                  <div class="empty">
                    <p><strong>No tools yet.</strong></p>
                    <p>Without tools, the agent can't look anything up or save anything. Assign tools below.</p>
                  </div>
                `
                : agentToolRows({ ui, form, agentId: agent.id }, assignedTools)
            }
          </section>
          <div id="try" class="live" aria-live="polite"></div>
          ${
            otherTools.length > 0 &&
            html`
              <section class="panel flush" aria-labelledby="others">
                <div class="panel-head"><h2 id="others">Available tools</h2><a class="small-text" href="${ui.to('/tools')}">All tools</a></div>
                ${agentToolRows({ ui, form, agentId: agent.id }, otherTools)}
              </section>
            `
          }
          <section class="panel flush" aria-labelledby="recent">
            <h2 id="recent">Recent calls</h2>
            ${
              calls.length === 0
                ? html`<p class="soft small-text">No calls yet. Choose this agent in a campaign to place calls.</p>`
                : html`
                  <div class="table-scroll" tabindex="0" role="group" aria-label="Recent calls">
                    <table>
                      <thead>
                        <tr>
                          <th scope="col">${labels.call.contact}</th>
                          <th scope="col" class="wide-only">${labels.call.campaign_name}</th>
                          <th scope="col">${labels.call.status}</th>
                          <th scope="col">${labels.call.queued_at}</th>
                        </tr>
                      </thead>
                      <tbody>
                        ${calls.map(
                          (call) => html`
                            <tr>
                              <th scope="row"><a href="${ui.to(`/calls/${call.id}`)}">${formatContactName(call.contact, call.contact.phone_number)}</a></th>
                              <td class="wide-only">${call.campaign_name}</td>
                              <td>${badge(callBadge(call))}</td>
                              <td class="nowrap">${time(ui, call.queued_at)}</td>
                            </tr>
                          `,
                        )}
                      </tbody>
                    </table>
                  </div>
                  <p class="small-text"><a href="${ui.to(`/calls?agent=${agent.id}`)}">View all calls</a></p>
                `
            }
          </section>
        </div>
        <div>
          <section class="panel" aria-labelledby="facts">
            <h2 id="facts">Details</h2>
            <dl class="facts">
              <dt>${labels.agent.language}</dt><dd>${languageName(newest.language)}</dd>
              <dt>Greeting</dt>
              <dd>
                ${newest.greeting ? newest.greeting : html`<span class="soft">${defaultGreeting}</span>`}
              </dd>
              <dt>${labels.agent.variables}</dt>
              <dd>${newest.variables.length > 0 ? newest.variables.join(', ') : html`<span class="soft">None</span>`}</dd>
              <dt>Instructions</dt>
              <dd>
                ${
                  newest.instructions === ''
                    ? html`<span class="soft">None</span>`
                    : html`
                      <details>
                        <summary>${ui.plural(newest.instructions.length, 'character', 'characters')}</summary>
                        <div class="pre-line">${newest.instructions}</div>
                      </details>
                    `
                }
              </dd>
              <dt>${labels.agent.results}</dt>
              <dd>
                ${
                  newest.results.length === 0
                    ? html`<span class="soft">None</span>`
                    : newest.results.map(({ name }) => name).join(', ')
                }
              </dd>
              <dt>Version</dt>
              <dd>
                <a href="${ui.to(`/agents/${agent.id}/versions`)}">${agent.newest_version}</a>
                ${unpublished !== null && html`<span class="soft small-text">(calls use version ${agent.version})</span>`}
              </dd>
              <dt>${labels.agent.id}</dt><dd>${agent.id} <span class="soft small-text">(for Zapier and the API)</span></dd>
            </dl>
            <div>
              <h3>Widget ID</h3>
              ${copyable({ id: 'widget-id', value: agent.widget_id, label: 'Copy widget ID' })}
              <p class="hint">Agent runtimes use this ID to load the agent's tools. The ID isn't secret, because
                requests also need a secret or an attempt token.</p>
            </div>
          </section>
          <section class="panel" aria-labelledby="campaigns">
            <h2 id="campaigns">Campaigns</h2>
            ${
              campaigns.length === 0
                ? html`<p class="soft small-text">No campaigns use this agent yet.</p>`
                : html`
                  <ul class="agent-campaigns">
                    ${campaigns.map(
                      (campaign) => html`
                        <li>
                          <a href="${ui.to(`/campaigns/${campaign.id}`)}">${campaign.name}</a>
                          ${badge(campaignBadge(campaign.status))}</li>
                      `,
                    )}
                  </ul>
                  ${hasMoreCampaigns && html`<p class="small-text"><a href="${ui.to('/campaigns')}">All campaigns</a></p>`}
                `
            }
          </section>
        </div>
      </div>
    `
  },
)

/** Shows the changes that aren't published yet, and the button that publishes them. */
const unpublishedNotice = (
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  agent: AgentWithCounts,
  { changes, lostResults, subscriptions }: NonNullable<AgentData['unpublished']>,
): Html => html`
  <section class="panel" aria-labelledby="unpublished">
    <div class="panel-head">
      <h2 id="unpublished">Changes that calls don't use yet</h2>
      ${publishButton({ ui, form }, agent, 'Publish changes')}
    </div>
    <p class="soft small-text">Calls use version ${agent.version}. Version ${agent.newest_version} was saved after it.</p>
    ${changeList(changes)}
    ${
      lostResults.length > 0 &&
      html`
        <p class="notice" data-tone="warn">
          Calls will no longer have ${listNames(lostResults)} as before.
          ${
            subscriptions === 0
              ? "No webhook or Zap receives this agent's calls yet."
              : html`
                ${ui.plural(subscriptions, 'webhook or Zap receives', 'webhooks and Zaps receive')} this agent's calls. Check
                the steps that use ${lostResults.length === 1 ? 'it' : 'them'}.
              `
          }
        </p>
      `
    }
  </section>
`

/** Publishes the version that the page shows. */
const publishButton = (
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  { id, newest_version: version }: AgentWithCounts,
  label: string,
): Html =>
  button({ form, action: ui.to(`/agents/${id}/publish`), label, look: 'primary', fields: { version } })

/** Shows the buttons that change the agent's status. */
function statusActions(
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  agent: AgentWithCounts,
  resumeDetail: string | null,
): Html {
  if (agent.status === 'draft') return publishButton({ ui, form }, agent, 'Publish')
  if (agent.status === 'live')
    return html`
      <a class="button primary small" href="${ui.to(`/campaigns/new?agent=${agent.id}`)}">New campaign</a>
      ${button({ form, action: ui.to(`/agents/${agent.id}/pause`), label: 'Pause' })}
    `
  const resume = ui.to(`/agents/${agent.id}/resume`)
  if (resumeDetail === null) return button({ form, action: resume, label: 'Resume', look: 'primary' })
  return confirm({
    form,
    id: 'resume',
    look: 'primary',
    action: resume,
    label: 'Resume',
    question: `Resume the agent “${agent.name}”?`,
    detail: resumeDetail,
    confirm: 'Resume agent',
  })
}

/** Says what the agent's status means for its calls. */
function statusNotice({ ui }: Pick<PageModel, 'ui'>, { status }: AgentWithCounts, waiting: number): Html {
  if (status === 'draft')
    return html`
      <p class="notice">
        Drafts can't be used in campaigns or Zapier. Publish the agent when it's ready. You can't turn it back into a draft.
      </p>
    `
  if (status === 'live')
    return html`
      <p class="soft small-text">Campaigns and Zaps can use this agent. If you pause the agent, queued calls wait until you resume it.</p>
    `
  return html`
    <p class="notice" data-tone="warn">
      This agent is paused. Queued calls wait until you resume the agent. Calls in progress continue.
      ${
        waiting > 0 &&
        html`
          ${ui.plural(waiting, 'call is', 'calls are')} waiting. A waiting call expires 7 days after it was due.
        `
      }
    </p>
  `
}
