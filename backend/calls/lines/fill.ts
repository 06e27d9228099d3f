import type { DialRequest } from '../../telephony/provider.ts'

/** Fills {{names}}: the contact's variables, and those that every script knows. An unknown name says nothing. */
export function fillTemplate(template: string, request: DialRequest): string {
  const { agent, contact, campaignName } = request
  const agentName = agent.name.split(',')[0] ?? agent.name
  const name = contact.firstName ?? contact.lastName ?? 'there'
  const topic = contact.variables['product'] ?? contact.variables['topic'] ?? campaignName
  const values = new Map([
    ...Object.entries(contact.variables),
    ['first_name', contact.firstName ?? ''],
    ['last_name', contact.lastName ?? ''],
    ['campaign', campaignName],
    ['agent', agentName],
    ['name', name],
    ['topic', topic],
  ])
  const replaceNames = (text: string) =>
    text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, key: string) => values.get(key) ?? '')
  const greeting =
    agent.greeting === '' ? 'Hello {{name}}, this is {{agent}} about {{topic}}.' : agent.greeting
  return template === '{{greeting}}' ? replaceNames(greeting) : replaceNames(template)
}
