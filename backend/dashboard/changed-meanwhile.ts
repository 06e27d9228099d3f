import { createHash } from 'node:crypto'
import { ApiError } from '../core/errors.ts'
import { canonicalJson } from '../core/text.ts'

/** Tells one state of what a form edits from another, without showing it. */
export const hashEdited = (values: unknown): string =>
  createHash('sha256').update(canonicalJson(values)).digest('base64url')

/** Somebody else saved what a form edits after it was opened: to save it now would undo that without a word. */
export class EditConflictError extends ApiError {
  /** The state that is to be overwritten if the person sends the form again. */
  readonly version: string

  constructor(version: string) {
    super(
      'validation_failed',
      'Somebody else changed this after you opened it, and nothing was saved. What you typed is still here: look at ' +
        'their changes in another tab, then save again, which writes yours over theirs.',
    )
    this.version = version
  }
}
