/** Why a file could not be read. The parser process sends it to its parent. */
export type FileErrorCode = keyof typeof messages

/** Sentences for the person who chose the file. */
const messages = {
  empty: 'The file is empty.',
  too_large: 'The file is larger than 20 MB: split it, or paste the part that matters.',
  wrong_type: 'Only .txt, .md, .html, .pdf and .docx files can be read.',
  old_word:
    'This is an old Word file, or one with a password: save it as .docx without a password, and choose that.',
  no_word: 'This is no Word document: the file is packed like one, but something else is in it.',
  broken:
    'The file is damaged, or not of the type that its name says: open it on your computer and save it anew.',
  encrypted: 'The file is protected by a password: save it without one, and choose that.',
  no_text:
    'The file has no text that could be read. Is it a scan? Then recognise its text first (OCR), or paste the text.',
  no_plain_text: 'This is no plain text: save it as text in UTF-8, and choose that.',
  too_long: 'The file holds more than 200,000 characters of text: split it into several documents.',
  too_heavy:
    'The file needs more memory than one file may take: it unpacks to far more than its size. Paste its text instead.',
  too_slow: 'The file took longer than 20 seconds to read: split it, or paste its text.',
  busy: 'Other files are being read at the moment: try again in a minute.',
} as const

/** A file that cannot be read. */
export class FileError extends Error {
  override name = 'FileError'
  readonly code: FileErrorCode

  constructor(code: FileErrorCode) {
    super(messages[code])
    this.code = code
  }
}

export const isFileErrorCode = (value: unknown): value is FileErrorCode =>
  typeof value === 'string' && Object.hasOwn(messages, value)
