/** As much of a tool's JSON Schema as an agent fills in by. */
export interface InputSchema {
  properties?: Record<string, unknown>
  required?: readonly string[]
}

/** Of what an agent has to say, that which a tool asks for. Undefined where the tool must have more. */
export function pickArguments(
  { properties, required = [] }: InputSchema,
  available: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (!required.every((name) => Object.hasOwn(available, name))) return undefined
  if (properties === undefined) return available
  return Object.fromEntries(Object.entries(available).filter(([name]) => Object.hasOwn(properties, name)))
}
