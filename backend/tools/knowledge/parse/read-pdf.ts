import { getDocumentProxy } from 'unpdf'
import { FileError } from './file-error.ts'
import { parseLimits } from './parse-limits.ts'

/**
 * Returns the text of a PDF, page by page, with its line breaks, and a blank line where the page has a larger gap
 * between two lines.
 *
 * @throws {FileError} encrypted, broken, too_long
 */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  const pdf = await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false }).catch(
    (error: unknown) => {
      throw new FileError(
        error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'broken',
      )
    },
  )
  const pages: string[] = []
  let length = 0
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const text = toText(items.filter((item) => 'str' in item))
    page.cleanup()
    length += text.length
    if (length > parseLimits.maxTextLength * 2) throw new FileError('too_long')
    pages.push(text)
  }
  return pages.join('\n\n')
}

interface TextItem {
  str: string
  hasEOL: boolean
  height: number
  /** The last number is the vertical position on the page. */
  transform: number[]
}

function toText(items: readonly TextItem[]): string {
  let text = ''
  let above: { y: number; height: number } | undefined
  let isLineStart = true
  for (const { str, hasEOL, height, transform } of items) {
    const y = transform[5] ?? 0
    if (isLineStart && str.trim() !== '') {
      const drop = above && above.y - y
      // A line that's higher on the page than the one before it starts another column.
      const isNewParagraph =
        drop !== undefined && above !== undefined && (drop > above.height * 1.7 || drop < -above.height)
      if (isNewParagraph) text += '\n'
    }
    if (str.trim() !== '') {
      above = { y, height: height || above?.height || 10 }
      isLineStart = false
    }
    text += str
    if (hasEOL) {
      text += '\n'
      isLineStart = true
    }
  }
  return text
}
