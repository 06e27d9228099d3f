/**
 * Returns the names in a ZIP file from its central directory (APPNOTE.TXT, sections 4.3.12 and 4.3.16).
 *
 * @param {Buffer} zip
 * @returns {string[]}
 */
export function zipNames(zip) {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0) throw new Error("This isn't a ZIP file.")
  const names = []
  let at = zip.readUInt32LE(end + 16)
  for (let count = zip.readUInt16LE(end + 10); count > 0; count--) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset))
    names.push(zip.toString('utf8', at + 46, at + 46 + name))
    at += 46 + name + extra + comment
  }
  return names
}
