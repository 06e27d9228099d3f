import { readFileSync } from 'node:fs'
import Sequencer from '@jest/test-sequencer'

/**
 * Starts slow files first, so that the end of a run doesn't wait for one of them. Jest sorts by the durations of the
 * previous run, or by size if there was none. The slowest files are small: they wait for browsers and processes.
 */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted
    return sorted.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)))
  }
}

const isSlow = ({ path }) =>
  /chromium|support\/child-process|embedded-database-process|\/service\.ts/i.test(readFileSync(path, 'utf8'))
