import { callBadge, type Tone } from '../../platform/views/badges.ts'
import { badge, live } from '../../platform/views/elements.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { confirm } from '../../platform/views/forms.ts'
import { attributes, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import { defineView } from '../page/define-page.ts'
import type { CallHistory } from '../stories/call-history.ts'
import type { Step } from '../stories/story.ts'
import { callDeliveries } from './call-deliveries.ts'
import { callFacts } from './call-facts.ts'
import { callResult } from './call-result.ts'
import { callTimeline } from './call-timeline.ts'
import { callTranscript } from './call-transcript.ts'

export interface CallData {
  history: CallHistory
  /** The filters of the list that led here. */
  listQuery: string
  /** Why the call waits or how it ended. */
  cause: string
  /** A sentence about the names in the greeting that had no value. Empty if all had one. */
  greetingIssues: string[]
  /** Other sentences about what happened. */
  notes: string[]
  /** Pages where a person can resolve why the call waits, or see why it wasn't made. */
  links: { path: string; label: string }[]
  steps: Step[]
  canQueueAgain: boolean
  /** Says what "Call again" does. */
  againDetail: string
  /** True if the number was called as often as allowed, which `againDetail` then says. */
  isAgainLimited: boolean
}

export const callView = defineView(
  (
    { ui, here, form },
    {
      history,
      listQuery,
      cause,
      greetingIssues,
      notes,
      links,
      steps,
      canQueueAgain,
      againDetail,
      isAgainLimited,
    }: CallData,
  ) => {
    const { call, details, event, deliveries } = history
    const name = formatContactName(call.contact, call.to_number)
    const isLive = event === undefined || deliveries.some(({ status }) => status === 'pending')
    const isQueued = call.status === 'queued'
    const waitTone: Tone = links.length > 0 ? 'warn' : 'mute'
    return html`
      <a class="crumb" href="${ui.to(`/calls${listQuery}`)}">${icon('back')} Calls</a>
      <div class="live stack-wide"${attributes(live(isLive ? here : null, '2s'))}>
        <div class="page-head">
          <div>
            <h1>${name}</h1>
            <p class="row">
              ${badge(callBadge(call))}
              ${call.test && badge({ tone: 'mute', text: labels.call.test })}
              <span class="soft">
                Call #${call.id}
                · <a href="${ui.to(`/campaigns/${call.campaign_id}`)}">${call.campaign_name}</a>
                · <a href="${ui.to(`/agents/${call.agent_id}`)}">${call.agent_name}</a>${
                  typeof call.agent_version === 'number' &&
                  html`, <a href="${ui.to(`/agents/${call.agent_id}/versions?number=${call.agent_version}`)}">version ${call.agent_version}</a>`
                }
              </span>
            </p>
            ${
              !isQueued &&
              html`
                <p class="soft">
                  ${cause}${links.map(
                    (link) => html`
                      <a href="${ui.to(link.path)}">${link.label}</a>`,
                  )}
                </p>
              `
            }
          </div>
          <div class="page-head-actions">
            ${
              isQueued &&
              confirm({
                form,
                id: 'cancel',
                action: ui.to(`/calls/${call.id}/cancel`),
                label: 'Cancel call',
                question: `Cancel the call to ${name}?`,
                detail:
                  'The call is marked as canceled, and its call.completed event is sent to webhook subscriptions.',
                confirm: 'Cancel call',
                keep: 'Keep call',
              })
            }
            ${
              canQueueAgain &&
              confirm({
                form,
                id: 'call-again',
                look: 'quiet',
                action: ui.to(`/calls/${call.id}/queue-again`),
                label: 'Call again',
                question: `Call ${name} again?`,
                detail: againDetail,
                confirm: isAgainLimited ? 'Call anyway' : 'Call again',
                fields: isAgainLimited ? { despite_limit: 'yes' } : {},
              })
            }
          </div>
        </div>
        ${
          isQueued &&
          html`
            <p class="notice" data-tone="${waitTone}">
              ${cause}
              ${links.map((link) => html`<a href="${ui.to(link.path)}">${link.label}</a>`)}
            </p>
          `
        }
        ${greetingIssues.map((issue) => html`<p class="notice" data-tone="warn">${issue}</p>`)}
        <div class="columns">
          <div>
            ${callResult(ui, call)}
            ${callTimeline(ui, { notes, steps })}
            ${callTranscript(ui, call, details.conversation_erased_at !== null)}
            ${callDeliveries(ui, form, history)}
          </div>
          <div>
            ${callFacts(ui, history)}
          </div>
        </div>
      </div>`
  },
)
