import { callBadge, formatWaitReason } from '../../platform/views/badges.ts'
import { badge, live, swatch, time } from '../../platform/views/elements.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { actionNeededReasons } from '../../queue/calls/when-and-why.ts'
import { defineView } from '../page/define-page.ts'
import type { Ui } from '../page/page-model.ts'
import { type Charts, outcomeGroups } from './overview-charts.ts'
import { type FirstStep, type Notice } from './overview-notices.ts'
import type { OverviewCall, WaitingCalls } from './overview-queries.ts'

export interface OverviewData {
  day: string
  steps: FirstStep[]
  /** Statistics are hidden before the first call. */
  hasCalls: boolean
  notices: Notice[]
  charts: Charts
  testCalls: number
  /** The path of the list with the calls that the charts count. */
  endedToday: string
  testsEndedToday: string
  /** How many seconds old the counts can be. Null if they're current. */
  sharedCountSeconds: number | null
  now: Date
  waiting: readonly WaitingCalls[]
  waitingTotal: number
  liveCalls: readonly OverviewCall[]
  liveCallCount: number
}

export const overviewView = defineView(
  (
    { ui, here },
    {
      day,
      hasCalls,
      steps,
      notices,
      endedToday,
      charts,
      liveCallCount,
      waitingTotal,
      sharedCountSeconds,
      testCalls,
      testsEndedToday,
      liveCalls,
      now,
      waiting,
    }: OverviewData,
  ) => {
    const nextStep = steps.find(({ isDone }) => !isDone)
    return html`
      <div class="page-head">
        <div>
          <h1>Overview</h1>
          <p class="lead">${day} (${ui.timeZone.replaceAll('_', ' ')} time)</p>
        </div>
        ${
          hasCalls &&
          html`
            <div class="page-head-actions"><a class="button primary" href="${ui.to('/contacts/new')}">New contact</a></div>
          `
        }
      </div>
      <div class="live stack-wide"${attributes(live(here, '3s'))}>
        ${
          steps.length > 0 &&
          html`
            <section class="panel" id="first-steps" aria-labelledby="first-steps-title">
              <div class="panel-head">
                <h2 id="first-steps-title">First steps</h2>
                <span class="soft small-text">${steps.filter(({ isDone }) => isDone).length} of ${steps.length} done</span>
              </div>
              <ol class="steps">
                ${steps.map(
                  (step) => html`
                    <li${attributes({ 'data-done': step.isDone })}>
                      <div>
                        <strong>${step.title}</strong>
                        ${step.isDone ? html`<span class="visually-hidden">(done)</span>` : html`<small>${step.why}</small>`}
                      </div>
                      ${
                        !step.isDone &&
                        html`
                          <a class="button ${step === nextStep ? 'primary' : 'quiet'} small" href="${ui.to(step.path)}">${step.label}</a>
                        `
                      }
                    </li>
                  `,
                )}
              </ol>
            </section>
          `
        }
        ${
          notices.length > 0 &&
          html`
            <section class="notices" aria-label="Needs attention">
              ${notices.map(
                (notice) => html`
                  <p class="notice" data-tone="${notice.tone}">
                    <span>${notice.text}</span> <a href="${ui.to(notice.path)}">${notice.label}</a>
                  </p>
                `,
              )}
            </section>
          `
        }
        ${
          hasCalls &&
          html`
            <dl class="stats">
              <div class="stat"><dt>Completed today</dt><dd><a href="${ui.to(endedToday)}">${ui.count(charts.total)}</a></dd></div>
              <div class="stat">
                <dt>${labels.outcome.answered}</dt>
                <dd>
                  <a href="${ui.to(`${endedToday}&outcome=answered`)}">${ui.count(charts.answered)}</a>${
                    charts.answeredPercent !== null &&
                    html`
                      <small>${charts.answeredPercent}%</small>`
                  }
                </dd>
              </div>
              <div class="stat"><dt>Conversation time</dt><dd>${ui.duration(charts.seconds)}</dd></div>
              <div class="stat"><dt>In progress</dt><dd><a href="#now">${ui.count(liveCallCount)}</a></dd></div>
              <div class="stat">
                <dt>Waiting</dt><dd><a href="${ui.to('/calls?status=queued')}">${ui.count(waitingTotal)}</a></dd>
              </div>
            </dl>
            ${
              sharedCountSeconds !== null &&
              html`
                <p class="soft small-text">Because there are many, completed and waiting calls are counted every ${sharedCountSeconds} seconds.</p>
              `
            }
            <section class="panel" aria-labelledby="by-hour">
              <div class="panel-head"><h2 id="by-hour">Today's calls by hour</h2>
                <ul class="legend" aria-hidden="true">
                  ${outcomeGroups.map(
                    (group) => html`
                      <li>${swatch(group.tone)}${group.text}</li>
                    `,
                  )}
                </ul></div>
              <div class="hours" aria-hidden="true">
                <div class="hours-scale">
                  <span>${ui.count(charts.scaleMax)}</span>
                  <span>${charts.scaleMiddle !== null && ui.count(charts.scaleMiddle)}</span>
                  <span>0</span>
                </div>
                <svg class="hours-bars" viewBox="0 0 ${charts.hours.length} 100" preserveAspectRatio="none" focusable="false">
                  ${[0, 50, 100].map((y) => html`<line class="grid-line" x1="0" x2="${charts.hours.length}" y1="${y}" y2="${y}"/>`)}
                  ${charts.hours.map(
                    (hour, index) => html`
                      <g>
                        <title>${hour.label}: ${hour.summary}</title>
                        <rect class="${hour.isNow ? 'hour-now' : 'hour-ground'}" x="${index}" y="0" width="1" height="100"/>
                        ${hour.bars.map(
                          (part) => html`
                            <rect
                              class="fill-${part.tone}"
                              x="${(index + 0.14).toFixed(2)}"
                              y="${part.y.toFixed(2)}"
                              width="0.72"
                              height="${part.height.toFixed(2)}"
                            />
                          `,
                        )}
                      </g>
                    `,
                  )}
                </svg>
                <div class="hours-labels">${charts.hourLabels.map((label) => html`<span>${label}</span>`)}</div>
              </div>
              <div class="visually-hidden">
                <table>
                  <caption>Calls completed today, by hour</caption>
                  <thead><tr><th scope="col">Hour</th>${outcomeGroups.map((group) => html`<th scope="col">${group.text}</th>`)}</tr></thead>
                  <tbody>
                    ${charts.busyHours.map(
                      (hour) => html`
                        <tr><th scope="row">${hour.label}</th>${hour.parts.map((part) => html`<td>${part.count}</td>`)}</tr>
                      `,
                    )}
                  </tbody>
                </table>
              </div>
              ${charts.total === 0 && html`<p class="soft small-text">No completed calls yet today.</p>`}
              ${
                testCalls > 0 &&
                html`
                  <p class="soft small-text">
                    <a href="${ui.to(testsEndedToday)}">${ui.plural(testCalls, 'test call')}</a> not included.
                  </p>
                `
              }
            </section>
            <div class="columns even">
              <section class="panel" aria-labelledby="by-outcome">
                <h2 id="by-outcome">Today's calls by outcome</h2>
                <table class="bars">
                  <caption class="visually-hidden">Calls completed today, by outcome</caption>
                  <thead class="visually-hidden">
                    <tr><th scope="col">${labels.call.outcome}</th><th scope="col">Share</th><th scope="col">Calls</th></tr>
                  </thead>
                  <tbody>
                    ${charts.outcomes.map(
                      (row) => html`
                        <tr>
                          <th scope="row"><a href="${ui.to(`${endedToday}&outcome=${row.outcome}`)}">${row.text}</a></th>
                          <td>
                            <svg
                              class="bar-line"
                              viewBox="0 0 100 10"
                              preserveAspectRatio="none"
                              role="img"
                              aria-label="${row.percent}%"
                            >
                              <rect class="bar-ground" width="100" height="10"/>
                              <rect class="fill-${row.tone}" width="${row.width.toFixed(2)}" height="10"/>
                            </svg>
                          </td>
                          <td class="number">${ui.count(row.count)}</td>
                        </tr>
                      `,
                    )}
                  </tbody>
                </table>
              </section>
              <div>
                <section class="panel" aria-labelledby="now">
                  <div class="panel-head">
                    <h2 id="now">Calls in progress</h2>
                    ${
                      liveCallCount > liveCalls.length &&
                      html`
                        <a class="small-text" href="${ui.to('/calls?status=in_progress')}">and ${ui.count(liveCallCount - liveCalls.length)} more</a>
                      `
                    }
                  </div>
                  ${
                    liveCalls.length === 0
                      ? html`<p class="soft">No calls in progress.</p>`
                      : html`
                        <ul class="now">
                          ${liveCalls.map((call) => liveCallItem(ui, call))}
                        </ul>
                      `
                  }
                </section>
                <section class="panel" aria-labelledby="waiting">
                  <div class="panel-head">
                    <h2 id="waiting">Waiting calls</h2>
                    ${waitingTotal > 0 && html`<a class="small-text" href="${ui.to('/calls?status=queued')}">View all</a>`}
                  </div>
                  ${
                    waiting.length === 0
                      ? html`<p class="soft">No waiting calls.</p>`
                      : html`
                        <ul class="now">
                          ${waiting.map((calls) => waitingItem(ui, calls, now))}
                        </ul>
                      `
                  }
                </section>
              </div>
            </div>
          `
        }
      </div>
    `
  },
)

function liveCallItem(ui: Ui, call: OverviewCall): Html {
  const since = call.answered_at ?? call.started_at
  return html`
    <li id="now-${call.id}">
      <div>
        <a href="${ui.to(`/calls/${call.id}`)}">${formatContactName(call, call.to_number)}</a>
        <small>${call.campaign_name} · ${call.agent_name}${call.test && ' · test'}</small>
      </div>
      <span class="row tight">
        ${since ? html`<span class="soft small-text">${time(ui, since, 'ago')}</span>` : null}
        ${badge(callBadge(call))}
      </span>
    </li>
  `
}

/** The reasons for waiting that only time resolves. */
const timeReasons = ['schedule', 'retry', 'calling_hours', 'frequency']

function waitingItem(ui: Ui, calls: WaitingCalls, now: Date): Html {
  const { waiting_for: reason } = calls
  const isUntil = calls.next_attempt_at > now && timeReasons.includes(reason ?? '')
  const needsAction = actionNeededReasons.some((one) => one === reason)
  return html`
    <li>
      <div>
        ${formatWaitReason(reason)}${isUntil && html`<small>not before ${ui.upcomingTime(calls.next_attempt_at)}</small>`}
      </div>
      <strong class="number"${attributes({ 'data-tone': needsAction && 'warn' })}>${ui.count(Number(calls.count))}</strong>
    </li>
  `
}
