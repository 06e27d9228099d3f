import type { CallOutcome } from '@outdial/contract'
import { outcomeBadge, outcomeOrder, type Tone } from '../../platform/views/badges.ts'
import { formatCount } from '../../platform/views/format.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { CampaignProgress } from './campaign-queries.ts'

/** One outcome's part of a bar that is 100 units wide. */
interface Segment {
  outcome: CallOutcome
  tone: Tone
  text: string
  count: number
  /** The outcome's share in percent: "12", or "0.4" if it's less than 1. */
  percent: string
  bar: { x: string; width: string }
}

interface ShownProgress {
  queuedCount: number
  live: number
  completed: number
  segments: Segment[]
  /** The segments in words: "Answered: 12, Busy: 3". */
  summary: string
}

/** Shows the outcomes of calls as a bar. */
export const campaignProgressBar = (progress: ShownProgress): Html => html`
  ${
    progress.completed === 0
      ? html`<span class="soft small-text">No calls completed yet</span>`
      : html`
        <svg
          class="outcome-bar"
          viewBox="0 0 100 8"
          preserveAspectRatio="none"
          role="img"
          aria-label="${progress.summary}"
        >
          ${progress.segments.map(
            (part) => html`
              <rect class="fill-${part.tone}" x="${part.bar.x}" width="${part.bar.width}" height="8"/>
            `,
          )}
        </svg>
      `
  }
`

/** Prepares progress for the bar: outcomes in a fixed order, each as wide as its share. */
export function toShownProgress(progress: CampaignProgress | undefined): ShownProgress {
  const { queuedCount = 0, live = 0, outcomes = {} } = progress ?? {}
  const completed = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  let x = 0
  const segments = outcomeOrder.flatMap((outcome) => {
    const count = outcomes[outcome] ?? 0
    if (count === 0) return []
    const width = (count / completed) * 100
    // Leaves a gap between parts, and keeps the smallest part visible.
    const bar = { x: x.toFixed(2), width: Math.max(width - 0.4, 0.2).toFixed(2) }
    x += width
    return [{ outcome, ...outcomeBadge(outcome), count, percent: width.toFixed(width < 1 ? 1 : 0), bar }]
  })
  const summary = segments.map(({ text, count }) => `${text}: ${formatCount(count)}`).join(', ')
  return { queuedCount, live, completed, segments, summary }
}
