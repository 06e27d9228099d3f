import { writeFile } from 'node:fs/promises'
import { generateText, generatedFile } from './generated-text.ts'

await writeFile(generatedFile, await generateText())
