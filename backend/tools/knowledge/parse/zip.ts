import { crc32, inflateRawSync } from 'node:zlib'
import { FileError } from './file-error.ts'
import { parseLimits } from './parse-limits.ts'

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const fileSignature = 0x04034b50

/**
 * Unpacks the wanted entries of a ZIP archive (APPNOTE 6.3.10). Counts bytes while inflating, because the sizes in the
 * archive may be wrong.
 *
 * @throws {FileError} broken, encrypted, too_heavy
 */
export function unzip(bytes: Uint8Array, isWanted: (name: string) => boolean): Map<string, Uint8Array> {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return unpack(archive, isWanted)
  } catch (error) {
    if (error instanceof FileError) throw error
    throw new FileError('broken') // an offset outside the file, or bytes that don't inflate
  }
}

function unpack(archive: Buffer, isWanted: (name: string) => boolean): Map<string, Uint8Array> {
  const end = findEndRecord(archive)
  const count = archive.readUInt16LE(end + 10)
  if (count > parseLimits.maxEntries) throw new FileError('too_heavy')
  const parts = new Map<string, Uint8Array>()
  let remainingBytes = parseLimits.maxInflatedBytes
  let offset = archive.readUInt32LE(end + 16)
  for (let entry = 0; entry < count; entry += 1) {
    if (archive.readUInt32LE(offset) !== entrySignature) throw new FileError('broken')
    const nameLength = archive.readUInt16LE(offset + 28)
    const name = archive.toString('utf8', offset + 46, offset + 46 + nameLength)
    if (isWanted(name)) {
      const part = inflate(archive, offset, remainingBytes)
      remainingBytes -= part.length
      parts.set(name, part)
    }
    offset += 46 + nameLength + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32)
  }
  return parts
}

/** Finds the record at the end of the archive, before a comment of at most 65,535 bytes. */
function findEndRecord(archive: Buffer): number {
  const first = Math.max(0, archive.length - 22 - 0xffff)
  for (let offset = archive.length - 22; offset >= first; offset -= 1) {
    if (archive.readUInt32LE(offset) === endSignature) return offset
  }
  throw new FileError('broken')
}

function inflate(archive: Buffer, offset: number, remainingBytes: number): Uint8Array {
  if ((archive.readUInt16LE(offset + 8) & 1) === 1) throw new FileError('encrypted')
  const method = archive.readUInt16LE(offset + 10)
  const packedSize = archive.readUInt32LE(offset + 20)
  const claimedSize = archive.readUInt32LE(offset + 24)
  if (claimedSize > remainingBytes) throw new FileError('too_heavy')
  const file = archive.readUInt32LE(offset + 42)
  if (archive.readUInt32LE(file) !== fileSignature) throw new FileError('broken')
  const start = file + 30 + archive.readUInt16LE(file + 26) + archive.readUInt16LE(file + 28)
  if (start + packedSize > archive.length) throw new FileError('broken')
  const packed = archive.subarray(start, start + packedSize)
  if (method === 0 && packed.length <= remainingBytes) return packed
  if (method === 0) throw new FileError('too_heavy')
  if (method !== 8) throw new FileError('broken')
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, remainingBytes) })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw new FileError(isTooLarge ? 'too_heavy' : 'broken')
  }
}

/** Packs parts into an archive without compression, so that opening it inflates nothing. */
export function zip(parts: ReadonlyMap<string, Uint8Array>): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, part] of parts) {
    const label = Buffer.from(name)
    // Version, flags, method, time and date, checksum, both sizes, lengths of the name and of the empty extra field.
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2) // names in UTF-8
    common.writeUInt32LE(crc32(part), 10)
    common.writeUInt32LE(part.length, 14)
    common.writeUInt32LE(part.length, 18)
    common.writeUInt16LE(label.length, 22)
    files.push(signatureBytes(fileSignature), common, label, Buffer.from(part))
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(signatureBytes(entrySignature), Buffer.from([20, 0]), common, rest, label)
    offset += 30 + label.length + part.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.size, 4)
  end.writeUInt16LE(parts.size, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, ...directory, signatureBytes(endSignature), end])
}

function signatureBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
