import { createOauthClient } from '../../oauth/create-oauth-client.ts'
import { defineCommand, flag, repeated, required, type CommandResult, text } from '../command.ts'

export const createOauthClientCommand = defineCommand({
  name: 'create-oauth-client',
  summary:
    'Registers an app, such as Zapier, that people can connect their workspace to. Its secret is shown once.',
  options: {
    name: required(text, 'NAME', 'how the consent page calls it'),
    'redirect-uri': repeated('URI', 'where it takes people back: https, or http on localhost, exactly'),
    public: flag('it cannot keep a secret: an app in a browser or on a phone'),
  },
  run: async (deps, { name, 'redirect-uri': redirectUris, public: isPublic }): Promise<CommandResult> => {
    const client = await createOauthClient(deps)({ name, redirectUris, confidential: !isPublic })
    if (client.clientSecret === null) return { record: { client_id: client.clientId } }
    return {
      record: { client_id: client.clientId, client_secret: client.clientSecret },
      note: 'Keep the secret: it is not shown again.',
    }
  },
})
