interface Measures {
  values: number
  depth: number
  /** Total length of all strings, without property names. */
  characters: number
  /** True if there are more values or levels than allowed. */
  isTooLarge: boolean
}

/** Measures the size of JSON. Stops counting when a limit is exceeded. */
export function measureJson(json: unknown, limits: { values: number; depth: number }): Measures {
  const measures = { values: 0, depth: 0, characters: 0, isTooLarge: false }
  let level: object[] = []
  const count = (value: unknown) => {
    measures.values += 1
    if (typeof value === 'string') measures.characters += value.length
    else if (typeof value === 'object' && value !== null) level.push(value)
  }
  count(json)
  // Counts level by level, because recursion would overflow the stack on a million levels.
  while (level.length > 0 && measures.depth <= limits.depth) {
    measures.depth += 1
    const parts = level
    level = []
    for (const part of parts) {
      for (const value of Object.values(part)) count(value)
      if (measures.values > limits.values) return { ...measures, isTooLarge: true }
    }
  }
  return { ...measures, isTooLarge: measures.depth > limits.depth }
}
