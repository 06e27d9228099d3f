import { readFileSync } from 'node:fs'
import Sequencer from '@jest/test-sequencer'

/**
 * Starts slow files first, so that a run doesn't end with a long wait for one file. Jest sorts files by their duration in the
 * previous run or, without one, by size. But the slowest files are small: they wait for browsers and processes, and the files
 * in `journey` take minutes.
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
