import { rename, rm, writeFile } from 'node:fs/promises'

/**
 * Replaces a file atomically with one that only the user of this process can open. Doesn't write through a symbolic link:
 * if root writes to an ordinary user's folder, that user could have created the link.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const newFile = `${file}.new`
  await rm(newFile, { force: true })
  await writeFile(newFile, text, { mode: 0o600, flag: 'wx', flush: true })
  await rename(newFile, file)
}
