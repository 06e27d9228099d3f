import { isNativeError } from 'node:util/types'

/** Errors of other realms fail `instanceof`, and the framework's, which are made by hand, are not native. */
export const isError = (value: unknown): value is Error => value instanceof Error || isNativeError(value)
