/** A source of random numbers. For the same seed, it returns the same numbers. */
export interface Random {
  /** Returns a number from `min` up to, but not including, `max`. */
  between(min: number, max: number): number
  /** Returns an integer from `min` to `max`. */
  integer(min: number, max: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  /** Returns a random key. A key with twice the weight is returned twice as often. */
  pickWeighted<Key extends string>(weights: Record<Key, number>): Key
  /** Returns true with the given probability. */
  happens(probability: number): boolean
}

/** Creates a source whose seed consists of several parts, such as a seed, a round, and a purpose. */
export function createRandom(...parts: (string | number)[]): Random {
  let state = hash(parts.join(':'))
  // mulberry32 (public domain) is small, and good enough to choose disruptions.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number) => min + next() * (max - min)
  const integer = (min: number, max: number) => Math.floor(between(min, max + 1))
  return {
    between,
    integer,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
    pickWeighted: (weights) => {
      const entries = Object.entries(weights) as [keyof typeof weights, number][]
      let remaining = between(
        0,
        entries.reduce((sum, [, weight]) => sum + weight, 0),
      )
      for (const [key, weight] of entries) {
        remaining -= weight
        if (remaining < 0) return key
      }
      throw new Error('invariant: no weights')
    },
    happens: (probability) => next() < probability,
  }
}

/** Returns the FNV-1a hash of a text. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return value
}
