import { findDoNotCallRemovals } from '../../queue/calls/check-do-not-call.ts'
import type { EndedAttempt, LateResults, LateResultTx } from '../telephony/provider.ts'
import { findAttempts } from './attempt-store.ts'
import { addOptOut, finishAnalysis } from './finish-attempt.ts'

export const lateResults: LateResults = {
  saveAnalysis: async (tx, call, analysis) => {
    await finishAnalysis(tx, call, analysis)
  },
  addOptOut: addLateOptOut,
}

async function addLateOptOut(tx: LateResultTx, { id, workspaceId, endedAt }: EndedAttempt): Promise<void> {
  const [dialed] = await findAttempts(tx.db, workspaceId, [id])
  // The phone number is blank if the contact was erased.
  if (dialed === undefined || dialed.test || dialed.phoneNumber === '') return
  const [removal] = await findDoNotCallRemovals(tx.db, workspaceId, dialed.phoneNumber)
  if (removal !== undefined && endedAt !== null && removal.at > endedAt) return
  await addOptOut(tx, workspaceId, dialed, dialed.callId)
}
