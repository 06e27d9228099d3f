/** The message with which an MCP client opens a session. This message and the next two are recorded from the SDK's client. */
export const initialize = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'agent-runtime', version: '1.0.0' },
  },
}

export const initialized = { method: 'notifications/initialized' }
export const listTools = { method: 'tools/list' }

const toolUses: [name: string, args: Record<string, unknown>][] = [
  ['contact_lookup', {}],
  ['knowledge_search', { query: 'roof inspection price, credited with a repair' }],
  ['order_status', { order_number: 'RL-20418', postal_code: '20005' }],
  [
    'contact_note',
    {
      text: 'Wants the north side of the roof looked at before winter. Her husband decides with her; mornings suit them.',
    },
  ],
  [
    'spreadsheet_append',
    {
      values: {
        Name: 'Ann Lee',
        Phone: '+12025550142',
        Roof: 'slate',
        Leaks: true,
        'Age in years': 31,
        Appointment: '2026-11-26 09:00',
      },
    },
  ],
  ['schedule_callback', { at: '2026-11-24T15:30' }],
]

/** The tool calls of one conversation, which the benchmark repeats. */
export const toolCalls = toolUses.map(([name, args]) => ({
  method: 'tools/call',
  params: { name, arguments: args },
}))
