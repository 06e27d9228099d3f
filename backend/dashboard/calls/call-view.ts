import { type Call } from '@outdial/contract'
import type { LinkedText } from '../../support/describe-actor.ts'
import type { Step } from '../../support/story.ts'
import { type Badge, type Tone } from '../../views/badges.ts'
import { badge, linkedText, live, time } from '../../views/elements.ts'
import { button, confirm } from '../../views/forms.ts'
import { attributes, html } from '../../views/html.ts'
import { icon } from '../../views/icon.ts'
import { labels } from '../../views/labels.ts'
import { defineView } from '../page/define-page.ts'

export interface CallData {
  call: Call
  /** The filters of the list that led here. */
  listQuery: string
  name: string
  badge: Badge
  /** Why the call waits or how it ended. */
  cause: string
  /** Which values the greeting had no value for. Empty if it had all of them. */
  greetingIssues: string[]
  /** Other sentences about what happened. */
  notes: string[]
  /** The color of the sentence about what the call waits for. Null if the call isn't waiting. */
  waitTone: Tone | null
  /** Where a person can resolve why the call waits, or see why it wasn't made. */
  links: { path: string; label: string }[]
  /** In the future. Null if another condition must change first. */
  nextAttemptAt: Date | null
  steps: Step[]
  transcript: {
    role: 'agent' | 'contact' | 'tool'
    speaker: string
    text: string
    at: string
    offset: string
  }[]
  /** True if there is a summary, sentiment, or extracted value to show. */
  hasResult: boolean
  extracted: [string, string][]
  metadata: [string, string][]
  variables: [string, string][]
  /** The settings that were in effect when the call was queued. */
  madeWith: { label: string; value: string }[]
  sentiment: Badge | null
  goal: Badge | null
  conversationErased: boolean
  /** Null if there is no recording, or its URL isn't an HTTP URL. */
  recordingUrl: string | null
  deliveries: ShownDelivery[]
  /** True if the event was sent nowhere. */
  hasNoReceivers: boolean
  eventId: string
  numberLabel: string
  /** Who or what queued the call. */
  origin: LinkedText
  isLive: boolean
  canCancel: boolean
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
      listQuery,
      isLive,
      name,
      badge: statusBadge,
      call,
      waitTone,
      cause,
      links,
      canCancel,
      canQueueAgain,
      againDetail,
      isAgainLimited,
      greetingIssues,
      hasResult,
      goal,
      sentiment,
      extracted,
      notes,
      steps,
      transcript,
      recordingUrl,
      conversationErased,
      eventId,
      deliveries,
      hasNoReceivers,
      variables,
      numberLabel,
      origin,
      nextAttemptAt,
      madeWith,
      metadata,
    }: CallData,
  ) => html`
    <a class="crumb" href="${ui.to(`/calls${listQuery}`)}">${icon('back')} Calls</a>
    <div class="live stack-wide"${attributes(live(isLive ? here : null, '2s'))}>
      <div class="page-head">
        <div>
          <h1>${name}</h1>
          <p class="row">
            ${badge(statusBadge)}
            ${call.test ? badge({ tone: 'mute', text: labels.call.test }) : null}
            <span class="soft">
              Call #${call.id}
              · <a href="${ui.to(`/campaigns/${call.campaign_id}`)}">${call.campaign_name}</a>
              · <a href="${ui.to(`/agents/${call.agent_id}`)}">${call.agent_name}</a>
            </span>
          </p>
          ${
            waitTone === null &&
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
            canCancel &&
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
        waitTone
          ? html`
            <p class="notice" data-tone="${waitTone}">
              ${cause}
              ${links.map((link) => html`<a href="${ui.to(link.path)}">${link.label}</a>`)}
            </p>
          `
          : null
      }
      ${greetingIssues.map((issue) => html`<p class="notice" data-tone="warn">${issue}</p>`)}
      <div class="columns">
        <div>
          ${
            hasResult &&
            html`
              <section class="panel" aria-labelledby="result">
                <h2 id="result">Result</h2>
                ${call.summary ? html`<p>${call.summary}</p>` : null}
                <dl class="facts">
                  ${goal ? html`<dt>${labels.call.goal_met}</dt><dd>${badge(goal)}</dd>` : null}
                  ${sentiment ? html`<dt>${labels.call.sentiment}</dt><dd>${badge(sentiment)}</dd>` : null}
                  ${call.opted_out ? html`<dt>${labels.call.opted_out}</dt><dd>${badge({ tone: 'bad', text: 'Yes' })}</dd>` : null}
                  ${extracted.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}
                </dl>
              </section>
            `
          }
          <section class="panel" aria-labelledby="story">
            <h2 id="story">What happened</h2>
            ${notes.map((note) => html`<p>${note}</p>`)}
            <ol class="timeline">
              ${steps.map(
                (moment) => html`
                  <li data-tone="${moment.tone}">
                    <span class="moment-head">
                      <strong>
                        ${moment.path ? html`<a href="${ui.to(moment.path)}">${moment.title}</a>` : moment.title}
                      </strong>
                      ${
                        moment.at
                          ? html`
                            <time
                              class="soft small-text"
                              datetime="${ui.iso(moment.at)}"
                              title="${ui.fullTime(moment.at)}"
                            >${ui.exactTime(moment.at)}</time>
                          `
                          : null
                      }
                    </span>
                    ${moment.detail ? html`<span class="soft">${moment.detail}</span>` : null}
                    ${
                      moment.tool
                        ? html`
                          <span class="row tight">
                            <span class="soft small-text">${ui.count(moment.tool.ms)} ms</span>
                            ${moment.tool.isError && badge({ tone: 'bad', text: 'Failed' })}
                            ${moment.tool.dryRun ? badge({ tone: 'mute', text: 'Dry run' }) : null}
                          </span>
                          <details class="tool-call">
                            <summary>Arguments and result</summary>
                            <h3>Arguments</h3>
                            <pre tabindex="0" role="region" aria-label="Arguments of ${moment.tool.name}">${moment.tool.arguments}</pre>
                            <h3>${moment.tool.isError ? 'Error sent to the agent' : 'Result sent to the agent'}</h3>
                            <pre tabindex="0" role="region" aria-label="Result of ${moment.tool.name}">${moment.tool.result}</pre>
                          </details>
                        `
                        : null
                    }
                  </li>
                `,
              )}
            </ol>
          </section>
          ${
            transcript.length > 0
              ? html`
                <section class="panel" aria-labelledby="transcript">
                  <div class="panel-head">
                    <h2 id="transcript">Transcript</h2>
                    ${recordingUrl ? html`<a class="small-text" href="${recordingUrl}" rel="noreferrer">Listen to recording</a>` : null}
                  </div>
                  <ol class="transcript">
                    ${transcript.map(
                      (turn) => html`
                        <li data-role="${turn.role}">
                          <span class="turn-speaker">
                            ${turn.speaker}${
                              turn.offset
                                ? html`
                                  <time datetime="${ui.iso(turn.at)}">${turn.offset}</time>`
                                : null
                            }
                          </span>
                          <p>${turn.text}</p>
                        </li>
                      `,
                    )}
                  </ol>
                </section>
              `
              : conversationErased
                ? html`
                  <p class="notice">The conversation was deleted because the contact was erased or the workspace's retention period ended.</p>
                `
                : null
          }
          ${
            eventId
              ? html`
                <section class="panel" aria-labelledby="deliveries">
                  <div class="panel-head"><h2 id="deliveries">Webhook deliveries</h2><code class="small-text">${eventId}</code></div>
                  ${deliveries.length === 0 && !hasNoReceivers && html`<p class="soft">No deliveries are stored for this event.</p>`}
                  ${
                    hasNoReceivers &&
                    html`
                      <p class="soft">No deliveries. <a href="${ui.to('/integrations')}">Connect Zapier or a webhook</a></p>
                    `
                  }
                  ${deliveries.map(
                    (delivery) => html`
                      <article class="delivery">
                        <div class="panel-head">
                          <div class="delivery-target">
                            <a href="${ui.to(`/integrations/deliveries/${delivery.id}`)}">${delivery.target}</a>
                            <small class="soft">
                              ${
                                delivery.subscriptionId === null
                                  ? html`Callback URL of this call`
                                  : html`
                                    <a href="${ui.to(`/integrations/webhooks/${delivery.subscriptionId}`)}">Webhook subscription
                                      ${delivery.subscriptionId}</a>
                                  `
                              }
                            </small>
                          </div>
                          <div class="row">
                            ${badge(delivery.badge)}
                            ${
                              delivery.canReplay &&
                              button({
                                form,
                                action: ui.to(`/calls/${call.id}/replay`),
                                label: 'Replay',
                                fields: { delivery_id: delivery.id },
                              })
                            }
                          </div>
                        </div>
                        ${delivery.nextAttemptAt ? html`<p class="soft small-text">Next attempt ${time(ui, delivery.nextAttemptAt)}</p>` : null}
                      </article>
                    `,
                  )}
                </section>
              `
              : null
          }
        </div>
        <div>
          <section class="panel" aria-labelledby="contact">
            <div class="panel-head">
              <h2 id="contact">${labels.call.contact}</h2>
              ${call.contact.do_not_call ? badge({ tone: 'bad', text: labels.contact.do_not_call }) : null}
            </div>
            <dl class="facts">
              <dt>Name</dt><dd><a href="${ui.to(`/contacts/${call.contact.id}`)}">${name}</a></dd>
              ${call.to_number ? html`<dt>${labels.call.to_number}</dt><dd class="nowrap">${call.to_number}</dd>` : null}
              ${call.contact.email ? html`<dt>${labels.contact.email}</dt><dd>${call.contact.email}</dd>` : null}
              ${call.contact.external_id ? html`<dt>${labels.contact.external_id}</dt><dd>${call.contact.external_id}</dd>` : null}
              ${call.contact.time_zone ? html`<dt>${labels.contact.time_zone}</dt><dd>${call.contact.time_zone}</dd>` : null}
              ${variables.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}
            </dl>
          </section>
          <section class="panel" aria-labelledby="facts">
            <h2 id="facts">Call</h2>
            <dl class="facts">
              <dt>${labels.call.id}</dt><dd>${call.id}</dd>
              <dt>${labels.call.from_number}</dt><dd>${numberLabel} <span class="soft nowrap">${call.from_number}</span></dd>
              <dt>${labels.call.queued_at}</dt><dd>${time(ui, call.queued_at)}</dd>
              <dt>${labels.call.origin}</dt><dd>${linkedText(ui, origin)}</dd>
              ${call.scheduled_at ? html`<dt>${labels.call.scheduled_at}</dt><dd>${time(ui, call.scheduled_at)}</dd>` : null}
              ${nextAttemptAt ? html`<dt>${labels.call.next_attempt_at}</dt><dd>${time(ui, nextAttemptAt)}</dd>` : null}
              <dt>${labels.call.attempts}</dt><dd>${call.attempts}</dd>
              ${call.answered_at && call.outcome !== 'voicemail' && html`<dt>${labels.call.answered_at}</dt><dd>${time(ui, call.answered_at)}</dd>`}
              ${call.ended_at ? html`<dt>${labels.call.ended_at}</dt><dd>${time(ui, call.ended_at)}</dd>` : null}
              ${call.duration_seconds !== null && html`<dt>${labels.call.duration_seconds}</dt><dd>${ui.duration(call.duration_seconds)}</dd>`}
            </dl>
          </section>
          ${
            madeWith.length > 0 &&
            html`
              <section class="panel" aria-labelledby="made-with">
                <h2 id="made-with">Made with</h2>
                <details>
                  <summary>Settings when the call was queued</summary>
                  <dl class="facts">
                    ${madeWith.map((setting) => html`<dt>${setting.label}</dt><dd>${setting.value}</dd>`)}
                  </dl>
                </details>
              </section>
            `
          }
          ${
            metadata.length > 0 &&
            html`
              <section class="panel" aria-labelledby="metadata">
                <h2 id="metadata">${labels.call.metadata}</h2>
                <dl class="facts">
                  ${metadata.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}
                </dl>
              </section>
            `
          }
        </div>
      </div>
    </div>
  `,
)

export interface ShownDelivery {
  id: number
  target: string
  /** Null for a callback URL of the call. */
  subscriptionId: number | null
  badge: Badge
  nextAttemptAt: Date | null
  /** No attempts are left, and its subscription is still enabled. */
  canReplay: boolean
}
