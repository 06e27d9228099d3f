import { ConfigError } from '../../platform/core/errors.ts'
import { reencryptSecrets } from '../../platform/secrets/secret-keys.ts'
import { defineCommand } from '../command.ts'

export const reencryptSecretsCommand = defineCommand({
  name: 'reencrypt-secrets',
  summary:
    'Encrypts all stored secrets with the first key in SECRET_KEY, so that you can remove the other keys. Restart every process with the new list first.',
  options: {},
  run: async (deps) => {
    const { changed, unopened } = await reencryptSecrets(deps)
    if (unopened > 0) {
      throw new ConfigError(
        `${changed} secrets were encrypted again, but no key in SECRET_KEY decrypts ${unopened} others. Add the key ` +
          'that they were encrypted with to SECRET_KEY, and run this command again. Or enter or create them again.',
      )
    }
    return { note: `${changed} secrets were encrypted again. SECRET_KEY now needs only its first key.` }
  },
})
