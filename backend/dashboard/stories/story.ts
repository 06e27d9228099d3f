import type { Tone } from '../../platform/views/badges.ts'

/** An explanation of what happened to a call, a contact, a request, or an event, and why. */
export interface Story {
  workspace: StoryWorkspace
  /** The subject of the story, such as "Call 12: No answer". */
  subject: string
  /** Sentences that explain the story. The first one is the cause. */
  sentences: string[]
  /** The steps in order, the current one last. */
  steps: Step[]
}

export interface StoryWorkspace {
  id: number
  name: string
  /** IANA name. The sentences contain times in this time zone. */
  timeZone: string
}

export interface Step {
  /** Null for the current step. */
  at: Date | null
  tone: Tone
  title: string
  detail: string
  /** The page of the dashboard that shows more; null if there is none. */
  path: string | null
  /** Set if the agent used a tool. */
  tool: ShownTool | null
}

interface ShownTool {
  name: string
  arguments: string
  result: string
  ms: number
  isError: boolean
  dryRun: boolean
}

export const step = (
  at: Date | null,
  tone: Tone,
  title: string,
  detail = '',
  path: string | null = null,
): Step => ({
  at,
  tone,
  title,
  detail,
  path,
  tool: null,
})

/** Returns the steps in the order in which they happened. */
export const inOrder = (steps: readonly Step[]): Step[] =>
  steps.toSorted((one, other) => stepTime(one) - stepTime(other))

const stepTime = ({ at }: Step) => at?.getTime() ?? Infinity
