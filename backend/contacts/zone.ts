import { timeZonesOfNumber } from '../scheduling/time-zones.ts'

/** Where a contact is: its own time zone, else its number's where it lies in one alone. Undefined: not known. */
export async function timeZoneOfContact(contact: {
  time_zone: string | null
  phone_number: string
}): Promise<string | undefined> {
  if (contact.time_zone !== null) return contact.time_zone
  const zones = await timeZonesOfNumber(contact.phone_number)
  return zones.length === 1 ? zones[0] : undefined
}
