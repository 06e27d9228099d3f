import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildContext, filesAt } from './build-context.ts'
import { readDockerfile, type Stage, type Step } from './read-dockerfile.ts'

/** A folder that stands in for an image, built from the Dockerfile's steps without Docker. */
export interface StandIn {
  /** The last stage's WORKDIR. */
  folder: string
  stage: Stage
  /** ENV of the last stage, and a PATH with the Node that runs this. */
  env: Record<string, string>
  /** An unprivileged user in place of the one that USER names. Undefined if this process isn't root. */
  user: { uid: number; gid: number } | undefined
  /** Warnings that npm printed. */
  warnings: string[]
  remove(): void
}

/** Runs the COPY and RUN steps of every stage in a temporary folder, using only files that git tracks. */
export function buildStandIn(root: string): StandIn {
  const home = mkdtempSync(path.join(tmpdir(), 'outdial-image-'))
  const remove = () => rmSync(home, { recursive: true, force: true })
  try {
    return { ...build(root, home), remove }
  } catch (error) {
    remove()
    throw error
  }
}

function build(root: string, home: string): Omit<StandIn, 'remove'> {
  chmodSync(home, 0o755)
  const bin = path.join(home, 'bin')
  mkdirSync(bin)
  copyFileSync(process.execPath, path.join(bin, 'node'))
  const stages = readDockerfile(path.join(root, 'Dockerfile'))
  const context = buildContext(root)
  const systemPath = `${bin}:${process.env.PATH ?? ''}`
  const warnings: string[] = []
  let env: Record<string, string> = {}
  let folder = home

  /** Returns the location of a path in the file system of a stage. */
  const placeOf = (stage: string, at: string) => path.join(home, 'stages', stage, at)

  const copy = ({ words, from }: Step): void => {
    const sources = words.slice(0, -1)
    const target = path.resolve(folder, words.at(-1) ?? '.')
    for (const source of sources) {
      if (from !== undefined) {
        cpSync(placeOf(from, source), target, { recursive: true, verbatimSymlinks: true })
        continue
      }
      const files = filesAt(context, source)
      if (files.length === 0) throw new Error(`COPY ${source}: not in the build context`)
      const isFolder = files[0] !== source
      for (const file of files) {
        const into = isFolder
          ? path.join(target, path.relative(source, file))
          : path.join(target, path.basename(file))
        mkdirSync(path.dirname(into), { recursive: true })
        copyFileSync(path.join(root, file), into)
      }
    }
  }

  const run = ({ text }: Step): void => {
    const result = spawnSync('/bin/sh', ['-c', text], {
      cwd: folder,
      env: { ...process.env, ...env, PATH: systemPath },
      encoding: 'utf8',
    })
    if (result.status !== 0) throw new Error(`RUN ${text} failed:\n${result.stdout}${result.stderr}`)
    // npm also warns about settings of this machine, which the image doesn't have.
    const lines = `${result.stdout}${result.stderr}`.split('\n')
    warnings.push(...lines.filter((line) => /^npm warn (?!Unknown \w+ config)/.test(line)))
  }

  for (const [index, stage] of stages.entries()) {
    env = {}
    for (const step of stage.steps) {
      if (step.keyword === 'WORKDIR') {
        folder = placeOf(stage.name ?? String(index), step.text)
        mkdirSync(folder, { recursive: true })
      }
      if (step.keyword === 'ENV') {
        for (const word of step.words) {
          const [name = '', value = ''] = word.split(/=(.*)/s)
          env[name] = value
        }
      }
      if (step.keyword === 'COPY') copy(step)
      if (step.keyword === 'RUN') run(step)
    }
  }
  const stage = stages.at(-1)
  if (stage === undefined) throw new Error('The Dockerfile has no stage.')
  const user = process.getuid?.() === 0 ? { uid: numberOf('-u'), gid: numberOf('-g') } : undefined
  return { folder, stage, env: { ...env, PATH: `${bin}:/usr/bin:/bin` }, user, warnings }
}

const numberOf = (flag: '-u' | '-g'): number =>
  Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
