/** Tokens of one or more requests. */
export interface TokenUsage {
  inputTokens: number
  outputTokens: number
  /** True if a server didn't report its tokens, so they were estimated. */
  isEstimated: boolean
}

export const noUsage: TokenUsage = { inputTokens: 0, outputTokens: 0, isEstimated: false }

export const addUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  isEstimated: one.isEstimated || other.isEstimated,
})

interface Reported {
  inputTokens: number | undefined
  outputTokens: number | undefined
}

/** Returns what the server reported, or else an estimate from the input and the number of characters of the output. */
export function toUsage(
  reported: Reported | undefined,
  input: unknown,
  outputCharacters: number,
): TokenUsage {
  const { inputTokens, outputTokens } = reported ?? {}
  if (inputTokens !== undefined && outputTokens !== undefined)
    return { inputTokens, outputTokens, isEstimated: false }
  return {
    inputTokens: inputTokens ?? estimateTokens(JSON.stringify(input).length),
    outputTokens: outputTokens ?? estimateTokens(outputCharacters),
    isEstimated: true,
  }
}

const charactersPerToken = 3

/** Estimates on the high side: an English token has about four characters. */
const estimateTokens = (characters: number): number => Math.ceil(characters / charactersPerToken)
