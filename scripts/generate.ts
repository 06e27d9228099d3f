import { writeFile } from 'node:fs/promises'
import { generatedText, target } from './generated-text.ts'

await writeFile(target, await generatedText())
