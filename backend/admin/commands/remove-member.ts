import { removeMember } from '../../identity/members/dismiss.ts'
import { defineCommand } from '../command.ts'
import { requireUserId } from '../command-options.ts'
import { emailOption, workspaceOption } from '../options.ts'

export const removeMemberCommand = defineCommand({
  name: 'remove-member',
  summary: 'Ends a membership, with the connections, API keys and webhooks of that person there.',
  options: { workspace: workspaceOption, email: emailOption },
  run: async (deps, { workspace, email }) => {
    await removeMember(deps)({ workspaceId: workspace, userId: await requireUserId(deps, email) })
    return { note: `${email} is no member of workspace ${workspace} any more.` }
  },
})
