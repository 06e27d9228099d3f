import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Returns the path of an installed Chromium, or undefined if there's none. */
export function findChromium(): string | undefined {
  // The headless shell manages no windows, so tests of pages take a third less time.
  const names = [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ]
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
