import type { LlmSettings } from '../../config.ts'

type Models = LlmSettings['models']

/** Returns the name of the model that an agent uses. If the settings no longer list the `wanted` one, it's in `missing`. */
export const chooseModel = (models: Models, wanted: string | null) =>
  wanted === null || models.includes(wanted)
    ? { name: wanted ?? models[0], missing: null }
    : { name: models[0], missing: wanted }

/** Returns true for a model of examples/fake-model, whose responses are scripted. */
export const isFakeModel = (name: string): boolean => name.startsWith('outdial-fake')

/** Returns the models that an agent's form offers, including the `chosen` one even if the settings no longer list it. */
export function modelChoices(models: Models, chosen: string | null): { value: string; label: string }[] {
  const isMissing = chosen !== null && !models.includes(chosen)
  return [
    { value: '', label: `Default (${models[0]})` },
    ...models.map((model) => ({ value: model, label: model })),
    ...(isMissing ? [{ value: chosen, label: `${chosen} (not available)` }] : []),
  ]
}

/** Says that the settings no longer list an agent's model. Returns null if they do. */
export const describeMissingModel = ({ name, missing }: ReturnType<typeof chooseModel>): string | null =>
  missing === null
    ? null
    : `The agent's model ${missing} isn't available anymore, so its conversations use ${name}.`
