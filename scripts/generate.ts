import { writeFile } from 'node:fs/promises'
import { generatedFile, generateText } from './generated-text.ts'

await writeFile(generatedFile, await generateText())
