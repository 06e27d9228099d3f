import { FileError } from './file-error.ts'

export type FileKind = 'text' | 'html' | 'pdf' | 'docx'

/**
 * What a file is: its first bytes decide where they tell, else the end of its name.
 *
 * @throws {FileError} where it is nothing that can be read
 */
export function detectFileKind(name: string, bytes: Uint8Array): FileKind {
  if (bytes.length === 0) throw new FileError('empty')
  const extension = /\.([a-z0-9]+)$/.exec(name.toLowerCase())?.[1] ?? ''
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  // Readers of PDF accept what stands before its header, up to there (PDF Reference 1.7, appendix H, note 13).
  if (start.startsWith('%PDF-') || (extension === 'pdf' && start.includes('%PDF-'))) return 'pdf'
  if (start.startsWith('PK\x03\x04')) return 'docx'
  if (start.startsWith('\xD0\xCF\x11\xE0')) throw new FileError('old_word')
  if (start.startsWith('{\\rtf')) throw new FileError('wrong_type')
  return fileKindByExtension(extension, start)
}

function fileKindByExtension(extension: string, start: string): FileKind {
  switch (extension) {
    case 'txt':
    case 'md':
    case 'markdown':
      return /^(\xEF\xBB\xBF)?\s*<(!doctype html|html)[\s>]/i.test(start) ? 'html' : 'text'
    case 'html':
    case 'htm':
      return 'html'
    case 'pdf':
    case 'docx':
      throw new FileError('broken')
    case 'doc':
      throw new FileError('old_word')
    default:
      throw new FileError('wrong_type')
  }
}
