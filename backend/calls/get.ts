import type { Call } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import type { Caller } from '../core/caller.ts'
import { findCall } from './get-calls.ts'

/** @throws {ApiError} not_found */
export const getCall =
  (deps: Deps) =>
  async (caller: Caller, id: number): Promise<Call> => {
    const call = await findCall(deps.db, caller.workspaceId, id, deps.clock.now())
    if (call === undefined) throw notFound('There is no call with this id in this workspace.')
    return call
  }
