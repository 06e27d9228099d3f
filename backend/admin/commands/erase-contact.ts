import { eraseContact } from '../../privacy/erase-contact.ts'
import { defineCommand } from '../command.ts'
import { requireWorkspace } from '../command-options.ts'
import { idOption, workspaceOption } from '../options.ts'

export const eraseContactCommand = defineCommand({
  name: 'erase-contact',
  summary: 'Erases a person for good: calls stay, without who was called and what was said.',
  options: {
    workspace: workspaceOption,
    contact: idOption('the contact, as the dashboard, Zapier and the API tell it'),
  },
  run: async (deps, { workspace, contact }) => {
    await requireWorkspace(deps, workspace)
    await eraseContact(deps)({ workspaceId: workspace, contactId: contact })
    return { note: `Contact ${contact} is erased.` }
  },
})
