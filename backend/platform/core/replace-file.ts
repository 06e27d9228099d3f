import { rename, rm, writeFile } from 'node:fs/promises'

/**
 * Replaces a file atomically. Only this user can open it. Doesn't write through a link, which the owner of the folder
 * could have put there when root writes to the folder of an ordinary user.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const newFile = `${file}.new`
  await rm(newFile, { force: true })
  await writeFile(newFile, text, { mode: 0o600, flag: 'wx', flush: true })
  await rename(newFile, file)
}
