import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { useTestFolder } from '../../support/folder.ts'
import { collect, turnRequest, useLanguageModels } from '../../support/language-model.ts'
import { waitFor } from '../../support/wait.ts'

const models = useLanguageModels()
const folder = useTestFolder()

it("sends the model's API key from a file, and sends the new key after the file has changed", async () => {
  const file = path.join(folder.path, 'key')
  await writeFile(file, 'first-key\n')
  const client = await models.open({ settings: { apiKey: undefined, apiKeyFile: file } })
  const speak = async () => {
    await collect(client.streamTurn(turnRequest('Hi')))
    return models.first.requests.at(-1)?.headers.authorization
  }
  expect(await speak()).toBe('Bearer first-key')
  await writeFile(file, 'second-key\n')
  await waitFor(async () => (await speak()) === 'Bearer second-key')
  expect(models.log()).not.toMatch(/first-key|second-key/)
})

it('rejects a key file that has no valid key, and names the file in the error', async () => {
  const file = path.join(folder.path, 'key')
  await writeFile(file, 'two words\n')
  const opening = models.open({ settings: { apiKey: undefined, apiKeyFile: file } })
  await expect(opening).rejects.toThrow(`${file} must contain API keys of a language model without spaces`)
})

it('sends no Authorization header if no key is set', async () => {
  const client = await models.open({ settings: { apiKey: undefined } })
  await collect(client.streamTurn(turnRequest('Hi')))
  expect(models.first.requests[0]?.headers.authorization).toBeUndefined()
})
