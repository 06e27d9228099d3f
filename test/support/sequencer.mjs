import { readFileSync } from 'node:fs'
import Sequencer from '@jest/test-sequencer'

/**
 * Starts slow files first, so that no worker is left alone with one at the end. Jest knows durations from the run
 * before and otherwise goes by size, and the slowest files are short: they wait for browsers and processes.
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
