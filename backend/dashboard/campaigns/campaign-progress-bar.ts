import type { CallOutcome } from '@outdial/contract'
import type { Tone } from '../../views/badges.ts'
import { type Html, html } from '../../views/html.ts'

/** One outcome's part of a bar that is 100 units wide. */
interface Segment {
  outcome: CallOutcome
  tone: Tone
  text: string
  count: number
  /** "12", or "0.4" if it's less than 1. */
  percent: string
  bar: { x: string; width: string }
}

export interface ShownProgress {
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
