import type { ToolAnswer } from './tool-kind.ts'

/** It is done, or found: text that the agent can go on from. */
export const told = (text: string): ToolAnswer => ({ text, isError: false })

/** It is not done. The text says what to do instead. */
export const refused = (text: string): ToolAnswer => ({ text, isError: true })

/** The answer of a tool with effects on a test call: what would have happened. */
export const dryRun = (text: string): ToolAnswer => told(`Test call, nothing was changed. ${text}`)
