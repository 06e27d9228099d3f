import { FileError } from './file-error.ts'

export type FileKind = 'text' | 'html' | 'pdf' | 'docx'

/**
 * Detects the kind of a file from its first bytes, or else from its extension.
 *
 * @throws {FileError} if the file can't be read
 */
export function detectFileKind(name: string, bytes: Uint8Array): FileKind {
  if (bytes.length === 0) throw new FileError('empty')
  const extension = /\.([a-z0-9]+)$/.exec(name.toLowerCase())?.[1] ?? ''
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  // The header may come anywhere in the first 1024 bytes (PDF Reference 1.7, appendix H, note 13).
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
