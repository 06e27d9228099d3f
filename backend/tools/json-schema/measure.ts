export interface Measures {
  values: number
  depth: number
  /** Of all texts together, names aside. */
  characters: number
}

/** How large JSON is. Counting ends at the bounds, which are then exceeded by one. */
export function measure(json: unknown, bounds: { values: number; depth: number }): Measures {
  let values = 0
  let depth = 0
  let characters = 0
  let level: unknown[] = [json]
  // Level by level: what nests a million deep would overflow the stack.
  while (level.length > 0 && depth <= bounds.depth) {
    values += level.length
    if (values > bounds.values) return { values: bounds.values + 1, depth, characters }
    for (const value of level) if (typeof value === 'string') characters += value.length
    level = level.filter((value) => typeof value === 'object' && value !== null)
    if (level.length > 0) depth += 1
    level = level.flatMap((value) => Object.values(value as object) as unknown[])
  }
  return { values, depth, characters }
}
