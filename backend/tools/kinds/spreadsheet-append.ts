import { withText } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { findSpreadsheetIssue, openSpreadsheet } from '../spreadsheets/open-spreadsheet.ts'
import { type RowValues, SpreadsheetError, toCells } from '../spreadsheets/spreadsheet.ts'
import {
  dryRunResult,
  errorResult,
  textResult,
  type ToolKind,
  type ToolResult,
  type ToolUse,
} from './tool-kind.ts'

const Config = z.strictObject({
  spreadsheet_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,200}$/, withText('invalid_format.spreadsheet_id'))
    .meta({
      title: 'Spreadsheet',
      description:
        "The ID of the spreadsheet to add rows to. In a Google Sheets URL, it's the part between /d/ and /edit.",
    }),
  provider: z
    .enum(['database', 'google'])
    .default('database')
    .meta({
      title: 'Stored in',
      description: 'For Google Sheets, share the spreadsheet with your Google service account.',
      oneOf: [
        { const: 'database', title: 'Outdial' },
        { const: 'google', title: 'Google Sheets' },
      ],
    }),
})

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** Adds a row to the spreadsheet in the agent's configuration of the tool. */
export const spreadsheetAppend: ToolKind = {
  kind: 'spreadsheet_append',
  settings: z.strictObject({}),
  config: Config,
  checkConfig: async (deps, workspaceId, config) => {
    const { provider, spreadsheet_id: id } = Config.parse(config)
    const message = await findSpreadsheetIssue(deps, workspaceId, provider, id)
    return message === undefined ? undefined : { field: 'spreadsheet_id', code: 'not_found', message }
  },
  hasEffects: true,
  builtIn: {
    name: 'spreadsheet_append',
    description: 'Add a row to the spreadsheet with what you learned in the call.',
    inputSchema: {
      type: 'object',
      properties: {
        values: {
          type: 'object',
          // Uses alternatives instead of a list of types, which some language models' APIs reject.
          additionalProperties: {
            anyOf: [{ type: 'string', maxLength: 5000 }, { type: 'number' }, { type: 'boolean' }],
          },
          minProperties: 1,
          maxProperties: 100,
          description: 'Values by column name, for example {"Name": "Ann Lee", "Roof": "slate"}.',
        },
      },
      required: ['values'],
      additionalProperties: false,
    },
  },
  run: async (deps, use) => {
    try {
      return await append(deps, use, Values.parse(use.args.values))
    } catch (error) {
      if (error instanceof SpreadsheetError) return errorResult(error.text)
      throw error
    }
  },
}

async function append(
  deps: Pick<Deps, 'db' | 'clock' | 'secretBox'>,
  use: ToolUse,
  values: RowValues,
): Promise<ToolResult> {
  const { provider, spreadsheet_id } = Config.parse(use.config)
  const spreadsheet = await openSpreadsheet(deps, use.row.workspaceId, provider, spreadsheet_id)
  if (use.dryRun) {
    // Reading changes nothing, and a test call or chat should find setup problems.
    toCells(await spreadsheet.readColumns(use.signal), values)
    const row = Object.entries(values).map(([column, value]) => `${column}: ${value}`)
    return dryRunResult(use, `This row would have been added: ${row.join(', ')}.`)
  }
  await spreadsheet.appendRow(values, use.signal)
  return textResult('Row added to the spreadsheet.')
}
