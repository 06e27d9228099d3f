import mammoth from 'mammoth'
import { FileError } from './file-error.ts'
import { unzip, zip } from './zip.ts'

const isMarkup = (name: string) => /\.(xml|rels)$/i.test(name) && !/^(customXml|word\/theme)\//.test(name)

/**
 * Returns the text of a Word document. mammoth would inflate everything in the archive. So this function unpacks only the
 * markup, with a size limit, and gives mammoth a new archive.
 *
 * @throws {FileError} broken, encrypted, no_word, too_heavy
 */
export async function readDocx(bytes: Uint8Array): Promise<string> {
  const parts = unzip(bytes, isMarkup)
  const isWord = [...parts.keys()].some((name) => name.startsWith('word/'))
  if (!isWord) throw new FileError('no_word')
  const { value } = await mammoth.extractRawText({ buffer: zip(parts) }).catch(() => {
    throw new FileError('broken')
  })
  return value
}
