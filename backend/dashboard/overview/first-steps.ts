import type { FirstSteps } from '../../calls/first-steps-store.ts'

export interface FirstStep {
  isDone: boolean
  title: string
  why: string
  path: string
  label: string
}

/** What a new workspace needs for its first call, in order; none where all is there. */
export function listFirstSteps(steps: FirstSteps): FirstStep[] {
  if (Object.values(steps).every(Boolean)) return []
  return [
    {
      isDone: steps.number,
      title: 'Add a phone number',
      why: 'People see it ringing. On the simulated line any number will do.',
      path: '/phone-numbers/new',
      label: 'Add a number',
    },
    {
      isDone: steps.agent,
      title: 'Create an agent and make it live',
      why: 'It talks to your contacts: give it a name and a greeting, then publish it.',
      path: '/agents',
      label: 'Go to the agents',
    },
    {
      isDone: steps.campaign,
      title: 'Create a campaign',
      why: 'It says who calls from which number, at which hours, and how often.',
      path: '/campaigns/new',
      label: 'Create a campaign',
    },
    {
      isDone: steps.contact,
      title: 'Add a contact, and call them',
      why: 'The call is queued at once, and you can watch it here.',
      path: '/contacts/new',
      label: 'Add a contact',
    },
    {
      isDone: steps.connection,
      title: 'Connect Zapier',
      why: 'From then on forms, spreadsheets and your CRM add the contacts by themselves.',
      path: '/integrations',
      label: 'Connect Zapier',
    },
  ]
}
