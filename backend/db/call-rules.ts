import { sql } from 'kysely'

/** Who may be called: the rules of a workspace. */
export interface CallRules {
  /** ISO 3166-1 alpha-2 codes of the countries that are called. Null: all countries. */
  countries: string[] | null
  /** True if calls to the United States are only placed in the hours by law. */
  hoursByLaw: boolean
  /** Days on which nobody is called, as YYYY-MM-DD. */
  closedDates: string[]
}

/** Selects the rules from `call_rules`, which may be the missing side of a left join. */
export const callRulesColumn = sql<CallRules>`jsonb_build_object(
  'countries', call_rules.countries,
  'hoursByLaw', coalesce(call_rules.hours_by_law, false),
  'closedDates', coalesce(call_rules.closed_dates, '{}')
)`
