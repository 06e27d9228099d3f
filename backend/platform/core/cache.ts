import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/** How long the cache remembers a value (`found`), or that a key has no value (`missing`), in milliseconds. */
interface CacheTtl {
  found: number
  missing: number
}

interface Entry<Value> {
  loading: Promise<Value | undefined>
  /** Undefined while the value is being loaded. */
  loaded: { value: Value | undefined } | undefined
  isDropped: boolean
}

const maxEntries = 20_000

/**
 * Caches loaded values by key. Concurrent callers share one load. An entry that's dropped while it's being loaded is
 * loaded again, so that no caller gets a value from before a change.
 */
export class Cache<Value> {
  readonly #load: (key: string) => Promise<Value | undefined>
  readonly #ttlMs: CacheTtl
  readonly #entries: LRUCache<string, Entry<Value>>

  constructor(clock: Clock, ttlMs: CacheTtl, load: (key: string) => Promise<Value | undefined>) {
    this.#load = load
    this.#ttlMs = ttlMs
    this.#entries = new LRUCache({
      max: maxEntries,
      perf: { now: () => clock.now().getTime() },
      ttlResolution: 0,
      dispose: (entry, _key, reason) => {
        if (reason === 'delete') entry.isDropped = true
      },
    })
  }

  async get(key: string): Promise<Value | undefined> {
    for (;;) {
      const entry = this.#entries.get(key) ?? this.#startLoading(key)
      const value = await entry.loading
      if (!entry.isDropped) return value
    }
  }

  drop(key: string): void {
    this.#entries.delete(key)
  }

  /**
   * Drops matching values, and every entry that's being loaded, since its value isn't known yet.
   *
   * @returns the matching values
   */
  dropWhere(predicate: (value: Value) => boolean): Value[] {
    const dropped: Value[] = []
    for (const [key, { loaded }] of [...this.#entries.entries()]) {
      const value = loaded?.value
      const isMatch = value !== undefined && predicate(value)
      if (isMatch) dropped.push(value)
      if (isMatch || loaded === undefined) this.drop(key)
    }
    return dropped
  }

  #startLoading(key: string): Entry<Value> {
    const entry: Entry<Value> = { loading: this.#load(key), loaded: undefined, isDropped: false }
    this.#entries.set(key, entry)
    entry.loading.then(
      (value) => {
        entry.loaded = { value }
        if (this.#entries.peek(key) !== entry) return
        const ttlMs = value === undefined ? this.#ttlMs.missing : this.#ttlMs.found
        // lru-cache still returns an entry whose age equals its TTL. Here, that entry must have expired.
        this.#entries.set(key, entry, { ttl: ttlMs - 1 })
      },
      () => {
        if (this.#entries.peek(key) === entry) this.drop(key)
      },
    )
    return entry
  }
}
