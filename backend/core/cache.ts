import type { Clock } from './clock.ts'

interface Entry<Value> {
  value: Promise<Value | undefined>
  /** Undefined while it is being loaded. */
  loaded: { value: Value | undefined; expiresAt: number } | undefined
  isDropped: boolean
}

/** How long what was found, and what was not, is remembered, in milliseconds. */
export interface CacheTtl {
  found: number
  missing: number
}

const maxEntries = 20_000

/**
 * Remembers what was loaded by key, for a while. Of many who ask at once one loads; what is dropped while it is being
 * loaded is loaded again, so that nobody is given what was true before a change.
 */
export class Cache<Value> {
  readonly #clock: Clock
  readonly #load: (key: string) => Promise<Value | undefined>
  readonly #ttlMs: CacheTtl
  readonly #entries = new Map<string, Entry<Value>>()

  constructor(clock: Clock, ttlMs: CacheTtl, load: (key: string) => Promise<Value | undefined>) {
    this.#clock = clock
    this.#ttlMs = ttlMs
    this.#load = load
  }

  async get(key: string): Promise<Value | undefined> {
    for (;;) {
      const entry = this.#findFresh(key) ?? this.#startLoading(key)
      const value = await entry.value
      if (!entry.isDropped) return value
    }
  }

  drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    entry.isDropped = true
    this.#entries.delete(key)
  }

  /**
   * Drops what the test names, and what is still being loaded: nobody knows yet what that will be.
   *
   * @returns those that the test named
   */
  dropWhere(predicate: (value: Value) => boolean): Value[] {
    const dropped: Value[] = []
    for (const [key, { loaded }] of this.#entries) {
      const value = loaded?.value
      const isMatch = value !== undefined && predicate(value)
      if (isMatch) dropped.push(value)
      if (isMatch || loaded === undefined) this.drop(key)
    }
    return dropped
  }

  #findFresh(key: string): Entry<Value> | undefined {
    const entry = this.#entries.get(key)
    if (entry?.loaded === undefined) return entry
    return entry.loaded.expiresAt > this.#clock.now().getTime() ? entry : undefined
  }

  #startLoading(key: string): Entry<Value> {
    const entry: Entry<Value> = { value: this.#load(key), loaded: undefined, isDropped: false }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#trim()
    entry.value.then(
      (value) => {
        const ms = value === undefined ? this.#ttlMs.missing : this.#ttlMs.found
        entry.loaded = { value, expiresAt: this.#clock.now().getTime() + ms }
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return entry
  }

  #trim(): void {
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest)
  }
}
