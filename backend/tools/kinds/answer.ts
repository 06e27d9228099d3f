import type { ToolAnswer } from './tool-kind.ts'

/** It is done, or found: text that the agent can go on from. */
export const textResult = (text: string): ToolAnswer => ({ text, isError: false })

/** It is not done. The text says what to do instead. */
export const errorResult = (text: string): ToolAnswer => ({ text, isError: true })

/** The answer of a tool with effects on a test call: what would have happened. */
export const dryRunResult = (text: string): ToolAnswer =>
  textResult(`Test call, nothing was changed. ${text}`)
