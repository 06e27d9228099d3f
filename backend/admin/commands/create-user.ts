import { text as readAll } from 'node:stream/consumers'
import { createUser } from '../../identity/create-user.ts'
import { randomToken } from '../../secrets/secret-box.ts'
import { defineCommand, flag, required, type CommandResult, text } from '../command.ts'

export const createUserCommand = defineCommand({
  name: 'create-user',
  summary: 'Adds a person who can sign in. The password is made and shown once, or read from standard input.',
  options: {
    email: required(text, 'ADDRESS', 'how they sign in'),
    name: required(text, 'NAME', 'how they are called'),
    'password-stdin': flag('read the password from standard input instead of making one'),
  },
  run: async (deps, { email, name, 'password-stdin': fromStdin }, input): Promise<CommandResult> => {
    const password = fromStdin ? (await readAll(input)).replace(/\r?\n$/, '') : randomToken(15)
    const { id } = await createUser(deps)({ email, name, password })
    if (fromStdin) return { record: { user_id: id, email } }
    return { record: { user_id: id, email, password }, note: 'Keep the password: it is not shown again.' }
  },
})
