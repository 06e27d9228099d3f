import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib'

/** Creates a PDF (ISO 32000-1) with one page. `content` is the page's compressed content stream. */
export function pdf(content: Buffer, options: { isLocked?: boolean; filter?: string } = {}): Buffer {
  const { isLocked = false, filter = '/FlateDecode' } = options
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    Buffer.concat([
      Buffer.from(`<< /Length ${content.length} /Filter ${filter} >>\nstream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    // The encryption entries for an unknown password. A reader that tries the empty password fails.
    `<< /Filter /Standard /V 1 /R 2 /P -44 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`,
  ]
  const parts = [Buffer.from('%PDF-1.4\n')]
  const offsets = objects.map((object, index) => {
    const offset = Buffer.concat(parts).length
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n'))
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const start = Buffer.concat(parts).length
  const locked = isLocked ? `/Encrypt 6 0 R /ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>]` : ''
  parts.push(
    Buffer.from(
      `xref\n0 7\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size 7 /Root 1 0 R ${locked} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

/** Creates a PDF with these lines. A number instead of a line adds this much space above the next line, in points. */
export const createPdf = (...lines: (string | number)[]): Buffer =>
  pdf(
    deflateSync(
      `BT /F 12 Tf 72 720 Td ${lines
        .map((line) => (typeof line === 'number' ? `0 ${-line} Td` : `(${line}) Tj 0 -14 Td`))
        .join(' ')} ET`,
    ),
  )

const block = 16 * 1024 * 1024

/** Creates a raw deflate stream that inflates to `blocks` × 16 MiB of the same byte. */
export function createDeflated(blocks: number, fill = ' '): Buffer {
  const piece = deflateRawSync(Buffer.alloc(block, fill), { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([...Array<Buffer>(blocks).fill(piece), deflateRawSync('')])
}

/** Creates the stream of `createDeflated` with a zlib header (RFC 1950), as PDFs have it. */
export const createZlibDeflated = (blocks: number, fill?: string): Buffer =>
  Buffer.concat([Buffer.from([0x78, 0x9c]), createDeflated(blocks, fill)])

interface Entry {
  name: string
  /** The entry's content, as a raw deflate stream. */
  packed: Buffer
  /** The size of the content that the archive states. */
  size: number
  isLocked?: boolean
}

export const zipEntry = (name: string, text: string): Entry => ({
  name,
  packed: deflateRawSync(text),
  size: Buffer.byteLength(text),
})

/** Creates a ZIP archive (APPNOTE 6.3.10). */
export function createZip(entries: readonly Entry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, packed, size, isLocked } of entries) {
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(isLocked ? 1 : 0, 2)
    header.writeUInt16LE(8, 4)
    header.writeUInt32LE(crc32(''), 10)
    header.writeUInt32LE(packed.length, 14)
    header.writeUInt32LE(size, 18)
    header.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    files.push(local)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, place, Buffer.from(name))
    offset += local.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, ...directory, Buffer.from('PK\x05\x06'), end])
}

const types = zipEntry(
  '[Content_Types].xml',
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>',
)
const relations = zipEntry(
  '_rels/.rels',
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
)
const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'

export const createWordBody = (body: string): string =>
  `<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`

/** Creates a Word document (ECMA-376) with these entries and the entries that every such document has. */
export const createDocxWith = (...entries: Entry[]): Buffer => createZip([types, relations, ...entries])

export const createDocx = (...paragraphs: string[]): Buffer =>
  createDocxWith(
    zipEntry(
      'word/document.xml',
      createWordBody(paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('')),
    ),
  )
