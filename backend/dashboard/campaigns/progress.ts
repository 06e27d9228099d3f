import type { CallOutcome } from '@outdial/contract'
import type { CampaignProgress } from './campaign-queries.ts'
import { outcomeOrder, outcomeBadge, type Tone } from '../page/badges.ts'

/** One outcome's part of a bar that is 100 wide. */
export interface Segment {
  outcome: CallOutcome
  tone: Tone
  text: string
  count: number
  x: number
  width: number
}

export interface ShownProgress {
  waiting: number
  live: number
  completed: number
  segments: Segment[]
}

/** Progress as a bar is drawn from it: outcomes in their order, each as wide as its share. */
export function toShownProgress(progress: CampaignProgress | undefined): ShownProgress {
  const { waiting = 0, live = 0, outcomes = {} } = progress ?? {}
  const completed = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  let x = 0
  const segments = outcomeOrder.flatMap((outcome) => {
    const count = outcomes[outcome] ?? 0
    if (count === 0) return []
    const width = (count / completed) * 100
    const segment = { outcome, ...outcomeBadge(outcome), count, x, width }
    x += width
    return [segment]
  })
  return { waiting, live, completed, segments }
}
