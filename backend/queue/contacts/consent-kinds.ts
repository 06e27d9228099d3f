import type { ConsentKind } from '@outdial/contract'
import { fieldIssue } from '../../platform/core/errors.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { Candidate } from './add-request.ts'
import { type ContactValues, findConsentsWithKind, type StoredConsent } from './contact-store.ts'

/**
 * Decides the kind of each consent that was sent without a kind. If the source and the date equal the stored ones, the stored
 * kind stays. Otherwise, the stored kind belongs to a different consent, so it's cleared, with a warning. Call it after the
 * contacts have been locked.
 */
export async function decideConsentKinds(
  db: Db,
  workspaceId: number,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const ids = candidates.flatMap(({ addition, contact }) =>
    lacksKind(addition.changes) ? (contact?.id ?? []) : [],
  )
  if (ids.length === 0) return candidates
  const stored = await findConsentsWithKind(db, workspaceId, ids)
  return candidates.map((candidate) => decideKind(candidate, stored))
}

const lacksKind = ({ consent_source: source, consent_kind: kind }: ContactValues): boolean =>
  typeof source === 'string' && kind === undefined

/** Returns the stored kind if the sent consent has the stored source and date. Otherwise, returns null. */
export const keepKind = (
  sent: ConsentOrigin,
  { kind, ...stored }: ConsentOrigin & { kind?: ConsentKind | null },
): ConsentKind | null =>
  sent.source === stored.source && toMs(sent.at) === toMs(stored.at) ? (kind ?? null) : null

interface ConsentOrigin {
  source: string | null
  /** A date from the database, or text in ISO 8601. */
  at: Date | string | null
}

const toMs = (at: Date | string | null): number | null => (at === null ? null : new Date(at).getTime())

function decideKind(candidate: Candidate, stored: ReadonlyMap<number, StoredConsent>): Candidate {
  const { addition, contact, warnings } = candidate
  const { changes } = addition
  const consent = stored.get(contact?.id ?? 0)
  if (consent === undefined || !lacksKind(changes)) return candidate
  const sent = { source: changes.consent_source ?? null, at: changes.consent_at ?? null }
  const kind = keepKind(sent, consent)
  if (kind !== null)
    return { ...candidate, addition: { ...addition, changes: { ...changes, consent_kind: kind } } }
  return { ...candidate, warnings: [...warnings, fieldIssue('consent.kind', 'consent_kind_cleared')] }
}
