import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { ColumnUse, getUse, ImportColumns } from '../../queue/contacts/import/import-columns.ts'
import { getImport } from '../../queue/contacts/import/imports.ts'
import {
  canMapColumns,
  lockedError,
  mapColumns,
  mappingFields,
} from '../../queue/contacts/import/map-columns.ts'
import { FileConsent } from '../../queue/contacts/import/parse-consent.ts'
import { toLocalIsoTime } from '../../queue/scheduling/local-time.ts'
import { defineForm, defineView, redirectTo } from '../page/define-page.ts'
import { anyField, consentKinds, OptionalId } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { type ColumnsForm, contactImportColumns } from './contact-import-columns.ts'
import { useOptions } from './contact-import-labels.ts'

interface ColumnsData {
  file: FoundImport
  columnsForm: ColumnsForm
}

const columnsView = defineView(
  ({ ui, form }, { file, columnsForm }: ColumnsData) => html`
    <a class="crumb" href="${ui.to(`/contacts/import/${file.id}`)}">${icon('back')} ${file.file_name}</a>
    <h1>Columns of ${file.file_name}</h1>
    ${contactImportColumns(form, columnsForm)}
  `,
)

const Samples = z.array(z.array(z.string()))

type FoundImport = Awaited<ReturnType<typeof getImport>>

/** Returns the form, filled in with what the columns are known to contain. */
export function toColumnsForm(found: FoundImport, action: string, timeZone: string): ColumnsForm {
  const columns = ImportColumns.parse(found.columns)
  const samples = Samples.parse(found.samples)
  const consent = FileConsent.parse(found.consent)
  const phoneCount = columns.filter(({ field }) => field === 'phone_number').length
  return {
    action,
    columns: columns.map((column, index) => ({
      header: column.header,
      samples: samples[index] ?? [],
      use: {
        name: mappingFields.use(index),
        value: getUse(column) ?? '',
        options: column.isUnanswered ? [{ value: '', label: 'Choose…' }, ...useOptions] : useOptions,
      },
      rank: { name: mappingFields.rank(index), value: column.rank > 0 ? column.rank : phoneCount + 1 },
    })),
    hasHeader: found.has_header,
    isRecalled: found.is_recalled,
    unansweredCount: columns.filter(({ isUnanswered }) => isUnanswered).length,
    consent: {
      sourceName: mappingFields.consentSource,
      source: consent.source ?? '',
      dateName: mappingFields.consentDate,
      date: consent.at === undefined ? '' : toLocalIsoTime(new Date(consent.at), timeZone).slice(0, 10),
      kindName: mappingFields.consentKind,
      kind: consent.kind ?? '',
      kinds: consentKinds,
    },
  }
}

/** Returns the path of the form for columns, with the campaign that was chosen before. */
export const columnsPath = (importPath: string, campaign: number | undefined): string =>
  `${importPath}/columns${toCampaignQuery(campaign)}`

export const toCampaignQuery = (campaign: number | undefined): string =>
  campaign === undefined ? '' : `?campaign=${campaign}`

/** Maximum length of a field. The longest valid consent source is shorter. */
const maxFieldLength = 1_000

export const importColumnsPage = defineForm({
  params: IdParams,
  query: z.object({ campaign: OptionalId }),
  form: z.record(boundedText(200), anyField(maxFieldLength)),
  show: async (deps, context) => {
    const { workspace, params, query } = context
    const found = await getImport(deps, workspace.id, params.id)
    if (!canMapColumns(found)) throw lockedError()
    const action = columnsPath(pathTo(context, `/contacts/import/${params.id}`), query.campaign)
    return columnsView(`Columns of ${found.file_name}`, {
      file: found,
      columnsForm: toColumnsForm(found, action, workspace.timeZone),
    })
  },
  submit: async (tx, context, fields) => {
    const { workspace, params, query } = context
    const read = (name: string): string => [fields[name] ?? ''].flat()[0] ?? ''
    const { columns } = await getImport(tx, workspace.id, params.id)
    const indexes = ImportColumns.parse(columns).map((_, index) => index)
    await mapColumns(tx, workspace, params.id, {
      uses: indexes.map((index) => ColumnUse.safeParse(read(mappingFields.use(index))).data),
      ranks: indexes.map((index) => toRank(read(mappingFields.rank(index)))),
      consent: {
        source: read(mappingFields.consentSource),
        at: read(mappingFields.consentDate),
        kind: read(mappingFields.consentKind),
      },
    })
    return redirectTo(pathTo(context, `/contacts/import/${params.id}${toCampaignQuery(query.campaign)}`))
  },
})

/** Parses the rank of a phone number's column. Columns without a valid rank come last. */
const toRank = (text: string): number => z.coerce.number().min(1).max(1_000).catch(1_000).parse(text)
