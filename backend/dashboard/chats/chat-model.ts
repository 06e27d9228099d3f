import type { LlmSettings } from '../../config.ts'

type Models = LlmSettings['models']

/** Returns the model that an agent's conversations use. `missing` is the agent's own, if it isn't in the settings anymore. */
export const chooseModel = (models: Models, wanted: string | null) =>
  wanted === null || models.includes(wanted)
    ? { name: wanted ?? models[0], missing: null }
    : { name: models[0], missing: wanted }

/** Returns true for a model of examples/fake-model, which answers from a script. */
export const isFakeModel = (name: string): boolean => name.startsWith('outdial-fake')

/** Returns the models to choose from for an agent, with its own, even if that isn't in the settings anymore. */
export function modelChoices(models: Models, chosen: string | null): { value: string; label: string }[] {
  const isMissing = chosen !== null && !models.includes(chosen)
  return [
    { value: '', label: `Default (${models[0]})` },
    ...models.map((model) => ({ value: model, label: model })),
    ...(isMissing ? [{ value: chosen, label: `${chosen} (not available)` }] : []),
  ]
}

/** Says that an agent's model isn't in the settings anymore. */
export const describeMissingModel = ({ name, missing }: ReturnType<typeof chooseModel>): string | null =>
  missing === null
    ? null
    : `The agent's model ${missing} isn't available anymore, so its conversations use ${name}.`
