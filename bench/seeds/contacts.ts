import { sql } from 'kysely'
import type { HttpClients, World } from '../world.ts'

/** Adds contacts without calls to the demo workspace. Their numbers are consecutive. */
export async function addContacts(
  { owner, demo }: World,
  options: { firstNumber: number; count: number; timeZone: string | null },
): Promise<void> {
  const { firstNumber, count, timeZone } = options
  await sql`
    insert into contact (workspace_id, phone_number, first_name, time_zone)
    select ${demo.workspace_id}, '+' || n, 'Maya', ${timeZone}
    from generate_series(${firstNumber}::bigint, ${firstNumber + count - 1}::bigint) n`.execute(owner)
}

/** The consent that each request has. */
const consent = { source: 'form', at: new Date().toISOString(), kind: 'written' }

/** Sends `POST /contacts/`, which queues a call. */
export async function sendContact(
  http: HttpClients,
  { api_key: key }: Pick<World['demo'], 'api_key'>,
  contact: { phoneNumber: number; campaignId: number; hasConsent?: boolean },
): Promise<void> {
  const body = {
    phone_number: `+${contact.phoneNumber}`,
    campaign_id: contact.campaignId,
    first_name: 'Maya',
    ...(contact.hasConsent === true && { consent }),
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const path = '/api/public/v1/contacts/'
  await http.send({ method: 'POST', path, headers, body: JSON.stringify(body) }, 201)
}
