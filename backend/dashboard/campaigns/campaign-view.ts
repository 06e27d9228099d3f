import { consentRequiredTexts } from '@outdial/contract'
import { campaignBadge } from '../../platform/views/badges.ts'
import { badge, live, swatch, time } from '../../platform/views/elements.ts'
import { formatCallingHours, formatPlural, formatRetryPolicy } from '../../platform/views/format.ts'
import { button, confirm } from '../../platform/views/forms.ts'
import { attributes, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import { defineView } from '../page/define-page.ts'
import { type CampaignCallRow, campaignCallRows } from './campaign-call-rows.ts'
import { campaignProgressBar, toShownProgress } from './campaign-progress-bar.ts'
import type { CampaignProgress, CampaignWithDetails } from './campaign-queries.ts'

interface CampaignData {
  campaign: CampaignWithDetails
  /** Undefined if the campaign has no calls, apart from test calls. */
  progress: CampaignProgress | undefined
  /** The limit of the workspace that stops the campaign, in words. Null if none does. */
  stop: string | null
  /** The calls that resuming starts, in words; null if there are none, or if the campaign isn't paused. */
  resumeDetail: string | null
  waiting: CampaignCallRow[]
  recent: CampaignCallRow[]
}

export const campaignView = defineView(
  ({ ui, here, form }, { resumeDetail, stop, waiting, recent, campaign, progress: counts }: CampaignData) => {
    const progress = toShownProgress(counts)
    return html`
      <a class="crumb" href="${ui.to('/campaigns')}">${icon('back')} Campaigns</a>
      <div class="live stack-wide"${attributes(live(here, '3s'))}>
        <div class="page-head">
          <div>
            <h1>${campaign.name}</h1>
            <p class="row">
              ${badge(campaignBadge(campaign.status))}
              <span class="soft small-text">Created ${time(ui, campaign.created_at, 'phrase')}</span>
            </p>
          </div>
          ${
            campaign.status !== 'archived' &&
            html`
              <div class="page-head-actions">
                <a class="button primary small" href="${ui.to(`/contacts/import?campaign=${campaign.id}`)}">Import contacts</a>
                <a class="button quiet small" href="${ui.to(`/campaigns/${campaign.id}/edit`)}">Edit</a>
                ${
                  campaign.status === 'active'
                    ? button({ form, action: ui.to(`/campaigns/${campaign.id}/pause`), label: 'Pause' })
                    : resumeDetail
                      ? confirm({
                          form,
                          id: 'resume',
                          look: 'quiet',
                          action: ui.to(`/campaigns/${campaign.id}/resume`),
                          label: 'Resume',
                          question: `Resume the campaign “${campaign.name}”?`,
                          detail: resumeDetail,
                          confirm: 'Resume campaign',
                        })
                      : button({ form, action: ui.to(`/campaigns/${campaign.id}/resume`), label: 'Resume' })
                }
                <a class="button danger small" href="${ui.to(`/campaigns/${campaign.id}/archive`)}">Archive</a>
              </div>
            `
          }
        </div>
        ${
          campaign.status === 'paused' &&
          html`
            <p class="notice" data-tone="warn">
              ${
                campaign.paused_reason
                  ? html`${campaign.paused_reason} Resuming resets the failure count.`
                  : 'This campaign is paused. New calls are queued and wait until you resume it.'
              }
              A waiting call expires 7 days after it was due.
            </p>
          `
        }
        ${stop ? html`<p class="notice" data-tone="warn">${stop} <a href="${ui.to('/settings/rules')}">Open rules</a></p>` : null}
        ${
          campaign.status !== 'archived' &&
          campaign.agent_status !== 'live' &&
          html`
            <p class="notice" data-tone="warn">
              Calls are waiting because the agent <a href="${ui.to(`/agents/${campaign.agent_id}`)}">${campaign.agent_name}</a>
              isn't Live. Resume the agent to place these calls.
            </p>
          `
        }
        ${
          campaign.status !== 'archived' &&
          campaign.number_status !== 'active' &&
          html`
            <p class="notice" data-tone="warn">
              Calls are waiting because the number <a href="${ui.to('/phone-numbers')}">${campaign.number_label}</a> is
              retired. Activate the number to place these calls.
            </p>
          `
        }
        <div class="columns">
          <div>
            <dl class="stats">
              <div class="stat"><dt>Waiting</dt><dd>${ui.count(progress.queuedCount)}</dd></div>
              <div class="stat"><dt>In progress</dt><dd>${ui.count(progress.live)}</dd></div>
              <div class="stat"><dt>Completed</dt><dd>${ui.count(progress.completed)}</dd></div>
            </dl>
            <section class="panel" aria-labelledby="ended">
              <h2 id="ended">Outcomes</h2>
              ${campaignProgressBar(progress)}
              ${
                progress.segments.length > 0 &&
                html`
                  <ul class="legend">
                    ${progress.segments.map(
                      (part) => html`
                        <li>
                          ${swatch(part.tone)}<a href="${ui.to(`/calls?campaign=${campaign.id}&outcome=${part.outcome}`)}">${part.text}</a>
                          <span class="soft">${ui.count(part.count)} · ${part.percent}%</span>
                        </li>
                      `,
                    )}
                  </ul>
                `
              }
            </section>
            <section class="panel flush" aria-labelledby="waiting">
              <h2 id="waiting">Waiting calls</h2>
              ${
                waiting.length === 0
                  ? html`<p class="soft small-text">No waiting calls.</p>`
                  : html`
                    ${campaignCallRows({ ui, calls: waiting, label: 'Waiting calls', shows: 'waiting' })}
                    <p class="small-text">
                      <a href="${ui.to(`/calls?campaign=${campaign.id}&status=queued`)}">View all waiting calls</a>
                    </p>
                  `
              }
            </section>
            <section class="panel flush" aria-labelledby="recent">
              <h2 id="recent">Recent calls</h2>
              ${
                recent.length === 0
                  ? html`<p class="soft small-text">No completed calls yet.</p>`
                  : html`
                    ${campaignCallRows({ ui, calls: recent, label: 'Recent calls', shows: 'ended' })}
                    <p class="small-text"><a href="${ui.to(`/calls?campaign=${campaign.id}`)}">View all calls</a></p>
                  `
              }
            </section>
          </div>
          <aside class="panel" aria-labelledby="facts">
            <h2 id="facts">Settings</h2>
            <dl class="facts">
              <dt>${labels.campaign.agent_id}</dt><dd><a href="${ui.to(`/agents/${campaign.agent_id}`)}">${campaign.agent_name}</a></dd>
              <dt>${labels.campaign.phone_number_id}</dt>
              <dd>${campaign.number_label}<br><span class="soft small-text">${campaign.phone_number}</span></dd>
              <dt>${labels.campaign.calling_hours}</dt>
              <dd>
                ${formatCallingHours(campaign.calling_hours)}<br>
                <span class="soft small-text">In the contact's time zone, or ${campaign.time_zone} if it's unknown</span>
              </dd>
              <dt>${labels.campaign.retry}</dt><dd>${formatRetryPolicy(campaign.retry)}</dd>
              <dt>${labels.campaign.max_concurrent_calls}</dt><dd>${ui.plural(campaign.max_concurrent_calls, 'call')}</dd>
              <dt>${labels.campaign.consent_required}</dt><dd>${formatConsentRule(campaign)}</dd>
              ${campaign.one_conversation_per_day && html`<dt>${labels.campaign.one_conversation_per_day}</dt><dd>Yes</dd>`}
              ${campaign.closed_on_federal_holidays && html`<dt>${labels.campaign.closed_on_federal_holidays}</dt><dd>Yes</dd>`}
              <dt>${labels.campaign.id}</dt><dd>${campaign.id} <span class="soft small-text">(for Zapier and the API)</span></dd>
            </dl>
          </aside>
        </div>
      </div>
    `
  },
)

function formatConsentRule({
  consent_required: required,
  consent_max_age_days: maxAge,
}: CampaignWithDetails): string {
  const { label } = consentRequiredTexts[required]
  return maxAge === null ? label : `${label}, at most ${formatPlural(maxAge, 'day')} old`
}
