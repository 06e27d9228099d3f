import type { PlainInputField, PlainOutputField } from 'zapier-platform-core'
import app from '../../index.ts'

/** A trigger, an action, or a search of the connector. */
interface Step {
  key: string
  noun: string
  display: { label: string; description: string; hidden?: boolean }
  operation: {
    type?: string
    inputFields?: (PlainInputField | ((...args: never[]) => unknown))[]
    inputFieldGroups?: { key: string; label?: string }[]
    outputFields?: (PlainOutputField | ((...args: never[]) => unknown))[]
    sample?: Record<string, unknown>
    perform: unknown
    performList?: unknown
    performSubscribe?: unknown
    performUnsubscribe?: unknown
  }
}

const listSteps = (group: object): Step[] => Object.values(group) as Step[]

export const triggers = listSteps(app.triggers)
export const creates = listSteps(app.creates)
export const searches = listSteps(app.searches)
export const allSteps = [...triggers, ...creates, ...searches]
export const visibleSteps = allSteps.filter(({ display }) => !display.hidden)

/** Returns rows for `it.each`: each has a step's key and the step. */
export const named = (steps: Step[]) => steps.map((step) => [step.key, step] as const)

const isStatic = <Field extends object>(field: Field | ((...args: never[]) => unknown)): field is Field =>
  typeof field !== 'function'

/** Returns a step's fields that take a value. Copy fields only show a text. Leaves out fields from functions. */
export const inputFieldsOf = ({ operation }: Step): PlainInputField[] =>
  (operation.inputFields ?? []).filter(isStatic).filter(({ type }) => type !== 'copy')

export const outputFieldsOf = ({ operation }: Step): PlainOutputField[] =>
  (operation.outputFields ?? []).filter(isStatic)

/** Rows for `it.each`. Each has a name, made of the step's and the field's key, and the field. */
export const allInputFields = visibleSteps.flatMap((step) =>
  inputFieldsOf(step).map((field) => [`${step.key}.${field.key}`, field] as const),
)

/** Returns the texts that users read in the Zap editor as plain text or Markdown, without the labels. */
export const textsOf = ({ display, operation }: Step): string[] => [
  display.description,
  ...(operation.inputFields ?? []).filter(isStatic).flatMap(({ helpText }) => helpText ?? []),
]
