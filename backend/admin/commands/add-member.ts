import * as z from 'zod'
import { addMember } from '../../identity/add-member.ts'
import { defineCommand, optional } from '../command.ts'
import { requireUserId, requireWorkspace } from '../command-options.ts'
import { emailOption, workspaceOption } from '../options.ts'

export const addMemberCommand = defineCommand({
  name: 'add-member',
  summary: 'Lets a person work in a workspace, or changes their role.',
  options: {
    workspace: workspaceOption,
    email: emailOption,
    role: optional(z.enum(['owner', 'member']), 'ROLE', 'owner or member, which is the default'),
  },
  run: async (deps, { workspace, email, role = 'member' }) => {
    await requireWorkspace(deps, workspace)
    await addMember(deps)({ workspaceId: workspace, userId: await requireUserId(deps, email), role })
    return { record: { workspace_id: workspace, email, role } }
  },
})
