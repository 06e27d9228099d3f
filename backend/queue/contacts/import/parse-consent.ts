import { ConsentKind } from '@outdial/contract'
import { readConsentKind, readDoNotCall } from '@outdial/reading'
import * as z from 'zod'
import { invalidField } from '../../../platform/core/form-errors.ts'
import { cutText } from '../../../platform/core/text.ts'
import { parseLocalDateField } from '../../scheduling/local-time.ts'

/** The consent of the people in a file who said yes, as a member entered it. `at` is in ISO 8601. */
export const FileConsent = z.object({
  source: z.string().optional(),
  at: z.string().optional(),
  kind: ConsentKind.optional(),
})
export type FileConsent = z.infer<typeof FileConsent>

/** The cells of a row about its consent. */
interface ConsentCells {
  source: string | undefined
  at: string | undefined
  kind: string | undefined
  /** The answer in the columns that ask for consent. Undefined if there are no such columns, or no clear answer. */
  isGiven: boolean | undefined
}

/**
 * Returns the consent to save. Someone who said yes needs a source and a date: if one is missing, returns undefined, even if
 * there's a kind.
 *
 * @throws {ApiError} validation_failed
 */
export function parseConsent(
  cells: ConsentCells,
  { timeZone, now, consent = {} }: { timeZone: string; now: Date; consent?: FileConsent },
): { source: string; at: string; kind?: ConsentKind } | undefined {
  if (cells.isGiven === false) return undefined
  const isTyped = cells.isGiven === true
  const source = cells.source ?? (isTyped ? consent.source : undefined)
  const at = cells.at ?? (isTyped ? consent.at : undefined)
  const kind = parseKind(cells.kind) ?? (isTyped ? consent.kind : undefined)
  if (source === undefined && at === undefined) {
    if (kind === undefined || isTyped) return undefined
    const message =
      'The consent source and the consent date are missing. Add them in “Consent source” and “Consent date” columns, or clear this cell.'
    throw invalidField('consent_kind', 'required', message)
  }
  if (source !== undefined && readDoNotCall(source) !== undefined) {
    const message = `“${cutText(source, 50)}” doesn't say where the person agreed to be called. Enter it, for example “Website form”, or clear this cell and the consent date.`
    throw invalidField('consent_source', 'invalid_value', message)
  }
  if (isTyped && (source === undefined || at === undefined)) return undefined
  if (at === undefined) {
    const message = 'The consent date is missing. Add it in a “Consent date” column, or clear this cell.'
    throw invalidField('consent_source', 'required', message)
  }
  const date = parseLocalDateField('consent_at', at, timeZone)
  if (date > now)
    throw invalidField('consent_at', 'invalid_datetime', 'This date is in the future. Check the year.')
  if (source !== undefined) return { source, at: date.toISOString(), ...(kind !== undefined && { kind }) }
  const message = 'The consent source is missing. Add it in a “Consent source” column, or clear this cell.'
  throw invalidField('consent_at', 'required', message)
}

/**
 * Parses a kind of consent. Rejects unknown words instead of ignoring them, because they can mean that a person didn't agree.
 */
function parseKind(cell: string | undefined): ConsentKind | undefined {
  if (cell === undefined) return undefined
  const kind = readConsentKind(cell)
  if (kind !== undefined) return kind
  const message = `“${cutText(cell, 50)}” isn't a kind of consent. Enter Written or Oral, or clear this cell.`
  throw invalidField('consent_kind', 'invalid_value', message)
}
