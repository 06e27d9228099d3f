import { findContact } from '../../contacts/search-store.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import type { PageContext } from '../visit.ts'

/**
 * The contact of a page that changes or calls it: of an erased one only its own page is left.
 *
 * @throws {ApiError} not_found
 */
export async function requireContact({ db }: Pick<Deps, 'db'>, { workspace, id }: PageContext) {
  const contact = await findContact(db, workspace.id, id)
  if (contact !== undefined && contact.erased_at === null) return contact
  throw notFound('There is no contact with this id in this workspace.')
}
