import type { ErrorDetail } from '@outdial/contract'
import * as z from 'zod'
import { FormError } from '../../platform/core/form-errors.ts'
import { findRuleIssues, isStorableText, rule, ruleIssue } from '../../platform/core/validate-rules.ts'
import type { CheckOptions } from '../json-schema/check-tool-schema.ts'
import { checkToolSchemas, type SchemaIssues } from '../json-schema/schema-jobs.ts'
import { findSecretNames, type ToolSecrets } from './tool-secrets.ts'

/** @throws {ApiError} validation_failed if there are issues; its message is that of the first issue */
export function requireNoIssues(issues: readonly ErrorDetail[]): void {
  const [first] = issues
  if (first !== undefined) throw new FormError('validation_failed', first.message, { details: [...issues] })
}

/**
 * Finds the issues of each schema.
 *
 * @throws {ApiError} validation_failed if the workspace has too many such checks in progress
 */
export async function findSchemaIssues(
  workspaceId: number,
  schemas: readonly unknown[],
  options: CheckOptions = {},
): Promise<SchemaIssues[]> {
  const issues = await checkToolSchemas(workspaceId, schemas, options)
  if (issues !== 'busy') return issues
  const message = 'This workspace is already checking other tools. Wait a few seconds, then try again.'
  throw new FormError('validation_failed', message)
}

interface RuleIssue {
  code: string
  message: string
}

/** Creates a refinement that reports all issues of a value, not only that there is one. */
export const reportEach =
  <Value>(findIssues: (value: Value) => RuleIssue[]) =>
  (value: Value, context: z.RefinementCtx): void => {
    for (const { code, message } of findIssues(value)) context.addIssue(ruleIssue(code, message))
  }

/** `__` is reserved for the tools of remote servers, so that no two tools of a workspace have the same name. */
const ToolName = z
  .string()
  .refine(
    (name) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name),
    rule(
      'invalid_name',
      "This name isn't valid. Use 1 to 64 letters, digits, hyphens, or underscores, and begin with a letter or digit.",
    ),
  )
  .refine(
    (name) => !name.includes('__'),
    rule('invalid_name', 'The name has two underscores in a row. Use only one.'),
  )

const Description = z
  .string()
  .refine(
    (description) => description.trim() !== '',
    rule('required', 'Enter a description. The agent uses it to decide when to use the tool.'),
  )
  .refine(
    (description) => description.length <= 4000 && isStorableText(description),
    rule(
      'too_long',
      "The description is too long, or it isn't plain text. Enter plain text of at most 4,000 characters.",
    ),
  )

const ToolTexts = z.object({ name: ToolName, description: Description })

export const findToolTextIssues = (texts: z.input<typeof ToolTexts>): ErrorDetail[] =>
  findRuleIssues(ToolTexts, texts)

/** Headers that belong to the connection or could contradict it. */
const reservedHeaders =
  /^(host|connection|content-length|transfer-encoding|upgrade|expect|keep-alive|te|trailer|accept-encoding|mcp-.*|proxy-.*)$/i

// Uses `z.custom` instead of `z.record`, which would silently skip names such as __proto__.
const Headers = z
  .custom<Readonly<Record<string, string>>>()
  .refine(
    (headers) => Object.keys(headers).length <= 50,
    rule('too_big', 'A tool can have at most 50 headers. Remove some.'),
  )
  .superRefine(
    reportEach((headers) =>
      Object.entries(headers).flatMap(([name, value]) => findHeaderIssues(name, value)),
    ),
  )

function findHeaderIssues(name: string, value: string): RuleIssue[] {
  const displayName = name.slice(0, 100)
  if (!/^[!#$%&'*+.^`|~\w-]{1,100}$/.test(name))
    return [
      {
        code: 'invalid_name',
        message: `"${displayName}" isn't a valid header name. Use letters, digits, and hyphens, for example X-Api-Key.`,
      },
    ]
  if (reservedHeaders.test(name)) {
    const message = `The header ${displayName} is set automatically. Remove it.`
    return [{ code: 'invalid_name', message }]
  }
  if (/^[\t\x20-\x7e]{0,4000}$/.test(value)) return []
  return [
    {
      code: 'invalid_value',
      message: `The value of ${displayName} must be on one line and can have at most 4,000 characters. Use only unaccented letters, digits, spaces, and common symbols.`,
    },
  ]
}

/** @param usedNames names of the secrets that the tool refers to */
const secretsSchema = (usedNames: ReadonlySet<string>) =>
  z.custom<ToolSecrets>().superRefine(
    reportEach((secrets) => [
      ...Object.entries(secrets).flatMap(([name, value]) => findSecretIssues(name, value)),
      ...[...usedNames]
        .filter((name) => !Object.hasOwn(secrets, name))
        .map((name) => ({
          code: 'required',
          message: `The secret ${name.slice(0, 100)} is used but has no value. Enter its value.`,
        })),
    ]),
  )

function findSecretIssues(name: string, value: string): RuleIssue[] {
  const displayName = name.slice(0, 100)
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) {
    const message = `"${displayName}" isn't a valid secret name. Use letters, digits, and _, and begin with a letter.`
    return [{ code: 'invalid_name', message }]
  }
  // A shorter secret would often occur in text by chance, and would be redacted there.
  if (/^[\x21-\x7e](?:[\x20-\x7e]{4,3998})[\x21-\x7e]$/.test(value)) return []
  const message = `The secret ${displayName} must be on one line and have 6 to 4,000 characters. Use only unaccented letters, digits, spaces, and common symbols, with no space at the start or end.`
  return [{ code: 'invalid_value', message }]
}

/** Returns the schemas of fields that both kinds of custom tools have. URL and headers may refer to secrets. */
export const customToolFields = (tool: { url: string; headers: Record<string, string> }) => ({
  ...ToolTexts.shape,
  headers: Headers,
  secrets: secretsSchema(new Set([tool.url, ...Object.values(tool.headers)].flatMap(findSecretNames))),
})
