import { Country, TimeZone } from '@outdial/contract'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { invalidField } from '../errors.ts'
import { newWebhookSecret } from '../secrets.ts'
import { installBuiltInTools } from '../tools/install-built-in.ts'
import { insertMembership, insertWorkspace } from './people/store.ts'

interface NewWorkspace {
  name: string
  /** ISO 3166-1 alpha-2: how national phone numbers are read. */
  country: string
  /** IANA name: the default of campaigns. */
  timeZone: string
  ownerId: number
}

/**
 * Makes a workspace with its owner and the tools that come with Outdial.
 *
 * @throws {ApiError} `validation_failed` for a name, country or time zone that is none
 */
export const createWorkspace =
  (deps: Pick<Deps, 'db' | 'box' | 'clock'>) =>
  async (input: NewWorkspace): Promise<{ id: number }> => {
    const name = input.name.trim()
    if (name === '') throw invalidField('name', 'required', 'The workspace needs a name.')
    if (!Country.safeParse(input.country).success) {
      throw invalidField('country', 'invalid_country', `"${input.country}" is no country code such as US.`)
    }
    if (!TimeZone.safeParse(input.timeZone).success) {
      throw invalidField(
        'time_zone',
        'invalid_time_zone',
        `"${input.timeZone}" is no time zone such as Europe/Berlin.`,
      )
    }
    const webhookSecret = deps.box.seal(newWebhookSecret())
    const insert = async (trx: Db) => {
      const { country, timeZone } = input
      const workspace = await insertWorkspace(trx, { name, country, timeZone, webhookSecret })
      await insertMembership(trx, workspace.id, { userId: input.ownerId, role: 'owner' })
      await installBuiltInTools({ db: trx, clock: deps.clock }, workspace.id)
      return workspace
    }
    return deps.db.isTransaction ? insert(deps.db) : deps.db.transaction().execute(insert)
  }
