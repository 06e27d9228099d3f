import { readFileSync } from 'node:fs'
import { Copy, DockerfileParser } from 'dockerfile-ast'

export interface Step {
  keyword: string
  /** The value of `--from`, for COPY. */
  from: string | undefined
  /** The arguments without flags, or the strings of a JSON array. */
  words: string[]
  /** The text after the keyword and its flags. */
  text: string
}

export interface Stage {
  image: string
  name: string | undefined
  steps: Step[]
}

/** Returns the build stages of a Dockerfile, in order. */
export function readDockerfile(file: string): Stage[] {
  const stages: Stage[] = []
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    const keyword = instruction.getKeyword()
    const words = instruction.getArguments().map((argument) => argument.getValue())
    if (keyword === 'FROM') {
      const [image = '', , name] = words
      stages.push({ image, name, steps: [] })
      continue
    }
    const text = instruction.getArgumentsContent() ?? ''
    const from =
      instruction instanceof Copy ? (instruction.getFromFlag()?.getValue() ?? undefined) : undefined
    stages.at(-1)?.steps.push({ keyword, from, words: wordsOf(text), text })
  }
  return stages
}

/** Splits the text of an instruction: plain words or a JSON array. In a HEALTHCHECK, the array follows CMD. */
function wordsOf(text: string): string[] {
  const [, array] = /^(?:CMD\s+)?(\[.*\])$/.exec(text) ?? []
  return array === undefined ? text.split(/\s+/) : (JSON.parse(array) as string[])
}
