import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import module from '@balena/dockerignore'

/** Returns the paths that `docker build` can copy from a fresh clone: those that .dockerignore doesn't exclude. */
export function buildContext(root: string): string[] {
  const ignore = module.default().add(readFileSync(path.join(root, '.dockerignore'), 'utf8'))
  return filesOfClone(root).filter((file) => !ignore.ignores(file))
}

/** Returns the files that git tracks, or all files if there is no git repository. */
function filesOfClone(root: string): string[] {
  if (!existsSync(path.join(root, '.git'))) {
    const paths = globSync('**', { cwd: root, exclude: (name) => name === 'node_modules' })
    return paths.filter((file) => statSync(path.join(root, file)).isFile())
  }
  // The checkout may belong to another user, because git executes nothing in it.
  const git = ['-c', 'safe.directory=*', 'ls-files', '-z']
  return execFileSync('git', git, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
}

/** Returns the files of the build context that are at a path or below it. */
export const filesAt = (context: string[], source: string): string[] =>
  context.filter((file) => file === source || file.startsWith(`${source.replace(/\/$/, '')}/`))
