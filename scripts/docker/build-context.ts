import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import module from '@balena/dockerignore'

/** Returns the paths that `docker build` can copy: files that git tracks, without those that .dockerignore excludes. */
export function buildContext(root: string): string[] {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  const ignore = module.default().add(readFileSync(path.join(root, '.dockerignore'), 'utf8'))
  return tracked.split('\0').filter((file) => file !== '' && !ignore.ignores(file))
}

/** Returns the files of the build context that are at a path or below it. */
export const filesAt = (context: string[], source: string): string[] =>
  context.filter((file) => file === source || file.startsWith(`${source.replace(/\/$/, '')}/`))
