import { readFileSync } from 'node:fs'
import Sequencer from '@jest/test-sequencer'

/**
 * Starts slow files first, so that the end of a run doesn't wait for one of them. Jest sorts by the durations of the
 * previous run, or by size if there was none. The slowest files are small: they wait for browsers and processes, and those
 * of whole journeys take minutes.
 */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted
    return sorted.toSorted((a, b) => slowness(b) - slowness(a))
  }
}

function slowness({ path }) {
  if (path.includes('/test/journey/')) return 2
  return slowParts.test(readFileSync(path, 'utf8')) ? 1 : 0
}

const slowParts = /chromium|support\/(child-process|http-runtime)\b|embedded-database-process|\/service\.ts/i
