export interface Measures {
  values: number
  depth: number
  /** Of all texts together, names aside. */
  characters: number
}

/** How large JSON is. Counting ends at the bounds, which are then exceeded. */
export function measureJson(json: unknown, limits: { values: number; depth: number }): Measures {
  const measures = { values: 0, depth: 0, characters: 0 }
  let level: object[] = []
  const count = (value: unknown) => {
    measures.values += 1
    if (typeof value === 'string') measures.characters += value.length
    else if (typeof value === 'object' && value !== null) level.push(value)
  }
  count(json)
  // Level by level: what nests a million deep would overflow the stack.
  while (level.length > 0 && measures.depth <= limits.depth) {
    measures.depth += 1
    const parts = level
    level = []
    for (const part of parts) {
      for (const value of Object.values(part)) count(value)
      if (measures.values > limits.values) return measures
    }
  }
  return measures
}
