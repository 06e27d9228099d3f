/** Why a file can't be read. The parser process sends it to its parent. */
export type FileErrorCode = keyof typeof messages

/** Sentences for the person who chose the file. */
const messages = {
  empty: 'The file is empty. Choose another file.',
  too_large: 'The file is larger than 20 MB. Split it, or paste the text you need.',
  wrong_type: "This file type isn't supported. Choose a .txt, .md, .html, .pdf, or .docx file.",
  old_word:
    'This is an old Word file, or it has a password. Save it as .docx without a password, then choose the new file.',
  no_word: "This file isn't a Word document. Choose a .docx file, or paste the text.",
  broken:
    'The file is damaged, or its name has the wrong extension. Open the file on your computer, save it again, and choose that file.',
  encrypted: 'The file is password-protected. Save it without a password, then choose the new file.',
  no_text: "No text found in this file. If it's a scan, run text recognition (OCR) first, or paste the text.",
  no_plain_text: "This file isn't plain text. Save it as UTF-8 text, then choose the new file.",
  too_long: 'The file has more than 200,000 characters of text. Split it into several documents.',
  too_heavy: 'The file needs too much memory to read. Split it, or paste its text.',
  too_slow: 'The file took longer than 20 seconds to read. Split it, or paste its text.',
  busy: 'Too many files are being read right now. Try again in a minute.',
} as const

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
