import type { ErrorDetail } from '@outdial/contract'
import { ApiError } from '../../platform/core/errors.ts'
import { FormError } from '../../platform/core/form-errors.ts'

/** Collects the issues of all parts of a form, so that a person sees them at once. */
export class IssueCollector {
  readonly #details: ErrorDetail[] = []

  /** Runs a part. Returns undefined if it has issues. */
  collect<Value>(part: () => Value): Value | undefined {
    try {
      return part()
    } catch (error) {
      if (!(error instanceof ApiError) || error.details.length === 0) throw error
      this.add(error.details)
      return undefined
    }
  }

  add(details: readonly ErrorDetail[]): void {
    this.#details.push(...details)
  }

  /** @throws {ApiError} validation_failed if there are issues */
  throwIfAny(): void {
    const [first] = this.#details
    if (first !== undefined)
      throw new FormError('validation_failed', first.message, { details: this.#details })
  }
}
