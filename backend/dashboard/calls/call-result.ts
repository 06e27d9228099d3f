import type { Call } from '@outdial/contract'
import type { Badge } from '../../platform/views/badges.ts'
import { badge } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import type { Ui } from '../page/page-model.ts'

/** Shows the summary of a call and what was extracted from it. Null if there's nothing to show. */
export function callResult(ui: Pick<Ui, 'words'>, call: Call): Html | null {
  const extracted = Object.entries(call.extracted)
  const isAnswered = call.outcome === 'answered'
  const hasResult = call.summary || isAnswered || extracted.length > 0 || call.opted_out === true
  if (call.status !== 'completed' || !hasResult) return null
  return html`
    <section class="panel" aria-labelledby="result">
      <h2 id="result">Result</h2>
      ${call.summary ? html`<p>${call.summary}</p>` : null}
      <dl class="facts">
        ${isAnswered && html`<dt>${labels.call.goal_met}</dt><dd>${badge(goalBadge(call.goal_met))}</dd>`}
        ${isAnswered && html`<dt>${labels.call.sentiment}</dt><dd>${badge(sentimentBadge(call.sentiment))}</dd>`}
        ${call.opted_out ? html`<dt>${labels.call.opted_out}</dt><dd>${badge({ tone: 'bad', text: 'Yes' })}</dd>` : null}
        ${extracted.map(([key, value]) => html`<dt>${ui.words(key)}</dt><dd>${formatExtractedValue(value)}</dd>`)}
      </dl>
    </section>
  `
}

export function goalBadge(isMet: boolean | null): Badge {
  if (isMet === null) return { tone: 'mute', text: 'Unknown' }
  return isMet ? { tone: 'good', text: 'Yes' } : { tone: 'warn', text: 'No' }
}

const sentimentTones: Partial<Record<Call['sentiment'], Badge['tone']>> = {
  positive: 'good',
  negative: 'bad',
}

export const sentimentBadge = (sentiment: Call['sentiment']): Badge => ({
  tone: sentimentTones[sentiment] ?? 'mute',
  text: sentiment.charAt(0).toUpperCase() + sentiment.slice(1),
})

export function formatExtractedValue(value: Call['extracted'][string]): string {
  if (value === null) return '–'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return String(value)
}
