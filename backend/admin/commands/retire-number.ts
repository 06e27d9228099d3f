import { retirePhoneNumber } from '../../phone-numbers/retire.ts'
import { defineCommand } from '../command.ts'
import { idOption, workspaceOption } from '../options.ts'

export const retireNumberCommand = defineCommand({
  name: 'retire-number',
  summary: 'Makes no more calls from a number; those of its campaigns wait for another one.',
  options: { workspace: workspaceOption, id: idOption('the number: see list-phone-numbers') },
  run: async (deps, { workspace, id }) => {
    await retirePhoneNumber(deps)({ workspaceId: workspace, phoneNumberId: id })
    return { note: `The phone number ${id} is retired.` }
  },
})
