import { ConsentRequired } from '@outdial/contract'
import { dayMs } from '../../platform/core/durations.ts'
import type { Consent, ConsentRule } from '../../platform/db/call-rules.ts'

/** Combines the rules of a workspace and of a campaign into a rule that is met only if both are met. */
export function strictest(one: ConsentRule, other: ConsentRule): ConsentRule {
  const kinds = ConsentRequired.options // from the least strict to the strictest
  const ranks = [one, other].map(({ consentRequired }) => kinds.indexOf(consentRequired))
  const ages = [one, other].flatMap(({ consentMaxAgeDays }) => consentMaxAgeDays ?? [])
  return {
    consentRequired: kinds[Math.max(...ranks)] ?? 'none',
    consentMaxAgeDays: ages.length === 0 ? null : Math.min(...ages),
  }
}

/** Returns why a consent isn't enough at this time; null if it's enough. If no consent is required, its age doesn't matter. */
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
