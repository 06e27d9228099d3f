import type { Campaign } from '@outdial/contract'
import { dropdown } from '../dropdown.ts'

/** A campaign that is not calling says so behind its name. */
export const campaigns = dropdown<Campaign>({
  key: 'campaigns',
  noun: 'Campaign',
  path: '/campaigns/',
  label: ({ name, status }) => (status === 'active' ? name : `${name} (${status})`),
})
