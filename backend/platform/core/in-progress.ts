/** Counts what's in progress at the same time: in total, and by key, such as a workspace. */
export class InProgress<Key> {
  readonly #byKey = new Map<Key, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(key: Key): number {
    return this.#byKey.get(key) ?? 0
  }

  /** Adds an amount. Returns a function that subtracts it again; later calls of that function do nothing. */
  add(key: Key, amount = 1): () => void {
    this.#change(key, amount)
    let isAdded = true
    return () => {
      if (isAdded) this.#change(key, -amount)
      isAdded = false
    }
  }

  #change(key: Key, amount: number): void {
    this.#total += amount
    const sum = this.of(key) + amount
    if (sum === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, sum)
  }
}

/** Returns how much of a process's limit one workspace can use. The rest remains for other workspaces. */
export const maxShare = (limit: number): number => Math.max(2, Math.floor(0.8 * limit))
