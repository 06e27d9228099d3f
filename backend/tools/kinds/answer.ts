import type { ToolResult } from './tool-kind.ts'

/** It is done, or found: text that the agent can go on from. */
export const textResult = (text: string): ToolResult => ({ text, isError: false })

/** It is not done. The text says what to do instead. */
export const errorResult = (text: string): ToolResult => ({ text, isError: true })

/** The answer of a tool with effects on a test call: what would have happened. */
export const dryRunResult = (text: string): ToolResult =>
  textResult(`Test call, nothing was changed. ${text}`)
