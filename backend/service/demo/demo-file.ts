import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { errorCode } from '../../platform/core/errors.ts'
import { replaceFile } from '../../platform/core/replace-file.ts'

/** `demo.json` in DATA_DIR: the demo workspace and its credentials, for new users, the demo, and tests. */
export const DemoFile = z.object({
  base_url: z.string(),
  workspace_id: z.number(),
  email: z.string(),
  password: z.string(),
  api_key: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  runtime_secret: z.string(),
  agents: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      widget_id: z.string(),
      status: z.enum(['draft', 'live', 'paused']),
    }),
  ),
  campaign_id: z.number(),
  phone_number_id: z.number(),
})
export type DemoFile = z.infer<typeof DemoFile>

const demoFilePath = (dataDir: string) => path.join(dataDir, 'demo.json')

/** Reads demo.json. Returns undefined if it doesn't exist or isn't valid. */
export async function readDemoFile(dataDir: string): Promise<DemoFile | undefined> {
  try {
    return DemoFile.parse(JSON.parse(await readFile(demoFilePath(dataDir), 'utf8')))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || errorCode(error) === 'ENOENT')
      return undefined
    throw error
  }
}

/** Writes demo.json atomically, readable only by the user of this process. */
export async function writeDemoFile(dataDir: string, demo: DemoFile): Promise<void> {
  await replaceFile(demoFilePath(dataDir), `${JSON.stringify(demo, null, 2)}\n`)
}
