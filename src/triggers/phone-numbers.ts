import type { PhoneNumber } from '@outdial/contract'
import { dropdown } from '../dropdown.ts'

/** The numbers that calls can be made from. */
export const phoneNumbers = dropdown<PhoneNumber>({
  key: 'phone_numbers',
  noun: 'Phone Number',
  path: '/phone-numbers/',
  label: ({ label, phone_number }) => (label ? `${label} (${phone_number})` : phone_number),
})
