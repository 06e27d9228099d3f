import type { ConversationTool } from './model/tools.ts'

/** The tools that belong to the conversation itself, not to the tool server. They act on this conversation only. */
export const callControlNames = ['end_call', 'opt_out'] as const

export type CallControlName = (typeof callControlNames)[number]

export const isCallControl = (name: string): name is CallControlName =>
  callControlNames.some((control) => control === name)

const noArguments = { type: 'object', properties: {}, additionalProperties: false }

const descriptions: Record<CallControlName, string> = {
  end_call: 'End the call, once everything is settled or the contact wants to go.',
  opt_out:
    "Make sure that the contact isn't called again, as soon as they ask for it. It confirms this to them and ends the call.",
}

/**
 * Returns the call controls. They have no arguments, so nothing that the contact says can make them act on someone else.
 *
 * @param run runs a control, and returns the result that the model reads
 */
export const createCallControls = (run: (name: CallControlName) => Promise<string>): ConversationTool[] =>
  callControlNames.map((name) => ({
    name,
    description: descriptions[name],
    inputSchema: noArguments,
    endsTurn: true,
    execute: () => run(name),
  }))
