import { addToDoNotCallList } from '../../calls/do-not-call.ts'
import { parsePhone } from '../../core/phone.ts'
import { invalidField } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import { defineCommand, required, text } from '../command.ts'
import { requireWorkspace } from '../command-options.ts'
import { workspaceOption } from '../options.ts'

export const addToDoNotCallCommand = defineCommand({
  name: 'do-not-call add',
  summary: 'Puts a number on the do-not-call list of a workspace: what waits for it ends as suppressed.',
  options: {
    workspace: workspaceOption,
    number: required(text, 'NUMBER', 'with its country, or as it is dialed in the country of the workspace'),
  },
  run: async (deps, { workspace, number }) => {
    const { country } = await requireWorkspace(deps, workspace)
    const parsed = parsePhone(number, country)
    if (!parsed.ok) throw invalidField(parsed.field, parsed.code, parsed.message)

    const { phoneNumber } = parsed
    await inTransaction(deps, ({ db, clock }) =>
      addToDoNotCallList(db, { workspaceId: workspace, phoneNumber, source: 'dashboard', now: clock.now() }),
    )
    return { note: `Workspace ${workspace} will not call ${phoneNumber}.` }
  },
})
