import { ConsentRequired } from '@outdial/contract'
import { dayMs } from '../../platform/core/durations.ts'
import type { Consent, ConsentRule } from '../../platform/db/call-rules.ts'

/** Returns the rule that is met only if both are: that of a workspace and that of a campaign. */
export function strictest(one: ConsentRule, other: ConsentRule): ConsentRule {
  const kinds = ConsentRequired.options // from the least to the most
  const ranks = [one, other].map(({ consentRequired }) => kinds.indexOf(consentRequired))
  const ages = [one, other].flatMap(({ consentMaxAgeDays }) => consentMaxAgeDays ?? [])
  return {
    consentRequired: kinds[Math.max(...ranks)] ?? 'none',
    consentMaxAgeDays: ages.length === 0 ? null : Math.min(...ages),
  }
}

/** Returns why a consent isn't enough at this time; null if it is. If none is required, its age doesn't matter. */
export function findConsentIssue(
  { consentRequired, consentMaxAgeDays }: ConsentRule,
  consent: Consent | null,
  at: Date,
): 'consent_missing' | 'consent_expired' | null {
  if (consentRequired === 'none') return null
  if (consent === null || (consentRequired === 'written' && consent.kind !== 'written'))
    return 'consent_missing'
  const ageMs = at.getTime() - Date.parse(consent.at)
  return consentMaxAgeDays !== null && ageMs > consentMaxAgeDays * dayMs ? 'consent_expired' : null
}
