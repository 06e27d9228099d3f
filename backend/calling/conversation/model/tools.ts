import type { ToolSet } from 'ai'
import type { ModelPackages } from './packages.ts'

/** A tool as the conversation offers it to the model. */
export interface ConversationTool {
  name: string
  description: string
  /** A JSON Schema. */
  inputSchema: Record<string, unknown>
  /** True if the model isn't asked again in this turn once the tool has run. */
  endsTurn?: boolean
  /**
   * Runs the tool and returns its result as text, also if the tool says that it failed. It gets no signal: a turn that's
   * interrupted doesn't end it, and its caller decides what does.
   */
  execute(args: Record<string, unknown>, call: { toolCallId: string }): Promise<string>
}

/** Converts tools for the packages. The tool server checks arguments, so here they only must be an object. */
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
