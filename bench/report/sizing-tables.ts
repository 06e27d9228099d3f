import type { CallCost } from '../sizing/measure-calls.ts'
import type { LiveCallCost } from '../sizing/measure-live-calls.ts'
import type { Machine } from './machine.ts'

/** What `npm run bench:sizing` measured. */
export interface SizingReport {
  machine: Machine
  unanswered: CallCost
  answered: CallCost
  live: LiveCallCost
}
