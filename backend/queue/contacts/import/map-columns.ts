import { addContactTexts, ConsentKind, type ErrorDetail } from '@outdial/contract'
import type { Deps } from '../../../deps.ts'
import { ApiError } from '../../../platform/core/errors.ts'
import { FormError } from '../../../platform/core/form-errors.ts'
import { cutText } from '../../../platform/core/text.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { parseLocalDateField } from '../../scheduling/local-time.ts'
import { rememberMapping } from './column-memory.ts'
import { rankPhones } from './guess-columns.ts'
import {
  type ColumnUse,
  type ImportColumn,
  ImportColumns,
  repeatableFields,
  useColumn,
} from './import-columns.ts'
import { markMapped } from './import-store.ts'
import { getImport } from './imports.ts'
import type { FileConsent } from './parse-consent.ts'

/** The choices of a person for the columns of a file. */
interface ColumnMapping {
  /** The chosen uses, in the order of the columns. Undefined where nothing was chosen. */
  uses: readonly (ColumnUse | undefined)[]
  /** One entry per column: for a phone column, its place among all phone columns. Other entries don't count. */
  ranks: readonly number[]
  consent: { source: string; at: string; kind: string }
}

/** The names of the form fields for a mapping. */
export const mappingFields = {
  use: (index: number) => `use_${index}`,
  rank: (index: number) => `rank_${index}`,
  consentSource: 'consent_source',
  consentDate: 'consent_date',
  consentKind: 'consent_kind',
} as const

/**
 * Saves what the columns of a file contain, remembers the choices for the next file with the same headers, and queues the
 * check.
 *
 * @throws {ApiError} not_found, validation_failed with one issue for each wrong field
 */
export async function mapColumns(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspace: { id: number; timeZone: string },
  importId: number,
  mapping: ColumnMapping,
): Promise<void> {
  const found = await getImport(deps, workspace.id, importId)
  const columns = ImportColumns.parse(found.columns)
  const issues = [...findColumnIssues(columns, mapping)]
  const consent = readFileConsent(deps, workspace.timeZone, mapping, issues)
  if (issues.length > 0) {
    const message = 'Some columns still need an answer. Correct the marked fields.'
    throw new FormError('validation_failed', message, { details: issues })
  }
  const choices = columns.map((_, index) => ({
    use: mapping.uses[index] ?? ('ignore' as const),
    rank: mapping.ranks[index] ?? 0,
  }))
  const mapped = rankPhones(
    columns.map((column, index) => useColumn(column, choices[index] ?? { use: 'ignore', rank: 0 })),
  )
  await inTransaction(deps, async (tx) => {
    if (!(await markMapped(tx.db, workspace.id, importId, { columns: mapped, consent }))) throw lockedError()
    if (found.has_header) await rememberMapping(tx.db, workspace.id, columns, choices, tx.clock.now())
  })
  deps.notify.importQueued()
}

/** Returns true if the columns can be changed: the file is still stored, and isn't being processed or imported. */
export const canMapColumns = (found: { status: string; is_stored: boolean }): boolean =>
  found.is_stored && (found.status === 'mapping' || found.status === 'checked')

export const lockedError = () =>
  new FormError(
    'validation_failed',
    "The columns can't be changed now: the file is being processed, or was already imported. To import it with other columns, upload it again.",
  )

function* findColumnIssues(
  columns: readonly ImportColumn[],
  { uses }: ColumnMapping,
): Generator<ErrorDetail> {
  const taken = new Map<string, string>()
  for (const [index, { header }] of columns.entries()) {
    const field = mappingFields.use(index)
    const use = uses[index]
    if (use === undefined) {
      yield { field, code: 'required', message: 'Choose what this column contains.' }
      continue
    }
    if (use === 'variable' && header === '') {
      const message = 'A variable needs a name, and this column has none. Choose something else.'
      yield { field, code: 'invalid_value', message }
    }
    if (use === 'ignore' || (use !== 'variable' && repeatableFields.has(use))) continue
    const key = use === 'variable' ? `variable ${cutText(header, 100)}` : use
    const other = taken.get(key)
    if (other !== undefined) {
      const message =
        use === 'variable'
          ? 'Another column has the same name. Ignore one of them.'
          : `The column “${cutText(other, 100)}” is used for this, too. Choose something else for one of them.`
      yield { field, code: 'duplicate', message }
    }
    taken.set(key, header)
  }
  if (uses.includes('phone_number')) return
  const message = `No column contains phone numbers. Choose “${addContactTexts.phone_number.label}” for at least one.`
  yield { field: mappingFields.use(0), code: 'required', message }
}

/** The API's limit for the length of a consent source. */
const maxSourceLength = 500

/** Reads the consent that was typed for the file. It counts only if a column says who agreed. */
function readFileConsent(
  { clock }: Pick<Deps, 'clock'>,
  timeZone: string,
  { uses, consent }: ColumnMapping,
  issues: ErrorDetail[],
): FileConsent {
  if (!uses.includes('consent_given')) return {}
  const source = consent.source.trim()
  const text = consent.at.trim()
  if (source.length > maxSourceLength) {
    const message = `Enter at most ${maxSourceLength} characters.`
    issues.push({ field: mappingFields.consentSource, code: 'too_long', message })
  }
  let at: string | undefined
  if (text !== '') {
    try {
      const date = parseLocalDateField(mappingFields.consentDate, text, timeZone)
      at = date.toISOString()
      if (date > clock.now()) {
        const message = 'This date is in the future. Check the year.'
        issues.push({ field: mappingFields.consentDate, code: 'invalid_datetime', message })
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      issues.push(...error.details)
    }
  }
  const kind = ConsentKind.safeParse(consent.kind).data
  if (kind === undefined && consent.kind !== '') {
    const message = 'Choose a kind of consent from the list.'
    issues.push({ field: mappingFields.consentKind, code: 'invalid_value', message })
  }
  return {
    ...(source !== '' && { source }),
    ...(at !== undefined && { at }),
    ...(kind !== undefined && { kind }),
  }
}
