import { addPhoneNumber } from '../../phone-numbers/phone-numbers.ts'
import { defineCommand, required, text } from '../command.ts'
import { requireWorkspace } from '../command-options.ts'
import { workspaceOption } from '../options.ts'

export const addPhoneNumberCommand = defineCommand({
  name: 'add-phone-number',
  summary: 'Adds a number that campaigns of a workspace can call from.',
  options: {
    workspace: workspaceOption,
    number: required(text, 'NUMBER', 'with its country, such as +12025550190'),
    label: required(text, 'LABEL', 'how the lists call it'),
  },
  run: async (deps, { workspace, number, label }) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addPhoneNumber(deps)(workspace, { phoneNumber: number, label })
    return { record: { phone_number_id: id, label } }
  },
})
