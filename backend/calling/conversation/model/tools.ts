import type { ToolSet } from 'ai'
import type { ModelPackages } from './packages.ts'

/** A tool as the conversation offers it to the model. */
export interface ConversationTool {
  name: string
  description: string
  /** A JSON Schema. */
  inputSchema: Record<string, unknown>
  /** True if the turn ends once the tool has run, without another request to the model. */
  endsTurn?: boolean
  /**
   * Runs the tool and returns its result as text, even if the tool reports a failure. Takes no signal, because a tool doesn't
   * always end when its turn is interrupted.
   */
  execute(args: Record<string, unknown>, call: { toolCallId: string }): Promise<string>
}

/** Converts tools for the packages. Checks only that arguments are an object, because the tool server validates the rest. */
export function toToolSet(
  { jsonSchema, tool }: Pick<ModelPackages, 'jsonSchema' | 'tool'>,
  tools: readonly ConversationTool[],
): ToolSet {
  const validate = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { success: true as const, value }
      : { success: false as const, error: new Error('not an object') }
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema, { validate }) }),
    ]),
  )
}
