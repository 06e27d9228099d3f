import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { DemoFile } from '../backend/service/demo/demo-file.ts'

/** An error for the user. Only its message is shown, without a stack. */
export class DemoError extends Error {
  override name = 'DemoError'
}

const startInstructions =
  'Start it in another terminal with `npm start`, wait for "is ready", and run `npm run demo` here again.'

/** Returns the demo file of the running backend. @throws {DemoError} that says what to do if it isn't running */
export async function findBackend(): Promise<DemoFile> {
  const dataDir = path.resolve(process.env.DATA_DIR ?? path.join(import.meta.dirname, '../.outdial'))
  const demo = await readDemoFile(path.join(dataDir, 'demo.json'))
  try {
    await fetch(new URL('/.well-known/oauth-authorization-server', demo.base_url))
  } catch {
    throw new DemoError(`The backend isn't responding at ${demo.base_url}. ${startInstructions}`)
  }
  return demo
}

async function readDemoFile(file: string): Promise<DemoFile> {
  try {
    return DemoFile.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') {
      throw new DemoError(
        `There's no file ${file}. If the backend is running with another DATA_DIR, run the demo with the same DATA_DIR. ` +
          `If the backend hasn't been started yet: ${startInstructions}`,
      )
    }
    if (code === 'EACCES') {
      throw new DemoError(`${file} belongs to another user. Run the demo as the user who runs \`npm start\`.`)
    }
    throw new DemoError(
      `${file} can't be read. To start over with new demo data, stop the backend and delete the folder of this file. ${startInstructions}`,
    )
  }
}
