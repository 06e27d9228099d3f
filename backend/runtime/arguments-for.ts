/** As much of a tool's JSON Schema as an agent fills in by. */
export interface InputSchema {
  properties?: Record<string, unknown>
  required?: readonly string[]
}

/** Of what an agent has to say, that which a tool asks for. Undefined where the tool must have more. */
export function argumentsFor(
  { properties, required = [] }: InputSchema,
  offered: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (!required.every((name) => Object.hasOwn(offered, name))) return undefined
  if (properties === undefined) return offered
  return Object.fromEntries(Object.entries(offered).filter(([name]) => Object.hasOwn(properties, name)))
}
