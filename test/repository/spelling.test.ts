// cspell:disable
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import { findPhrases } from '../../scripts/check-phrases.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Returns the words that the spell checker rejects in a text, as if the text were in a Markdown file of the project. */
async function findMisspelledWords(text: string): Promise<string[]> {
  const cspell = path.join(root, 'node_modules/cspell/bin.mjs')
  const args = [cspell, '--no-progress', '--no-summary', '--words-only', 'stdin://docs/README.md']
  const running = promisify(execFile)(process.execPath, args, { cwd: root })
  running.child.stdin?.end(text)
  const { stdout } = await running.catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 1 && 'stdout' in error)) throw error
    return { stdout: String(error.stdout) }
  })
  return stdout.split('\n').filter((word) => word !== '')
}

it('the spell checker rejects British spelling, misspelled words, and words that the language guide bans', async () => {
  const banned = ['anew', 'whoever', 'parted', 'mend', 'e-mail']
  const british = [
    'colour',
    'behaviour',
    'analysed',
    'analyse',
    'artefact',
    'instalment',
    'skilful',
    'focussed',
    'cancelled',
    'dialling',
    'labelled',
    'grey',
    'centre',
    'towards',
  ]
  const words = [...british, 'recieve', ...banned]
  const text = `Every ${words.join(' and ')}. The color of a canceled call, in E.164, by email.`
  expect(await findMisspelledWords(text)).toEqual(words)
})

it.each([
  ['Kept for ever.', 'for ever'],
  ['Deliveries that were given up', 'given up'],
  ['It answers 404.', 'answers 404'],
  ['the server answered with a 500', 'answered with a 500'],
  ['Nobody is told of completed calls', 'told of'],
  ['The contact’s number', '’'],
  ['// It is kept for\n// ever.', 'for\n// ever'],
  ['It was mended', 'mended'],
  ['Two e-mails', 'e-mails'],
  ['E-mailing a contact', 'E-mailing'],
])('the phrase check finds the wrong phrase in “%s”', (text, found) => {
  expect(findPhrases(`First line\n${text}`)).toEqual([expect.objectContaining({ line: 2, found })])
})

it('the phrase check accepts sentences that only resemble wrong phrases', () => {
  expect(
    findPhrases("Forever, told you so: it answered in 404 ms, and the contact's call was answered."),
  ).toEqual([])
})
