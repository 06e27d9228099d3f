// cspell:ignore privs rbind regid reuid setpriv
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Account, isRoot, lookUpAccount } from '../../../platform/db/embedded/os-account.ts'

/** How to start a program in a sandbox. */
export interface Sandbox {
  command: string
  flags: readonly string[]
  /** The user that starts the command. */
  ids: Account['ids']
}

/** Folders that a sandbox needs. A folder is skipped if it doesn't exist, or if an earlier one contains it. */
const systemPaths = ['/usr', '/bin', '/sbin', '/lib', '/lib64']

/**
 * Namespaces without network and without other processes. Signals reach only processes of the same namespace, so they
 * reach neither the service nor another sandbox. With `--kill-child`, the program ends when `unshare` ends.
 */
const namespaces = ['--pid', '--net', '--fork', '--kill-child']

/**
 * A shell script that runs a program as a child of the shell. The program must not be the first process of its namespace,
 * because the first process can't end itself with SIGKILL or SIGABRT.
 */
const runProgram = '"$@"; exit $?'

/**
 * A shell script that runs a program in an almost empty file system: the folders and files before `--` can only be read, and no
 * others exist, so there are no Unix sockets of other programs. The file system is built at /sys, which every Linux has.
 */
const runInEmptyFolder = `set -e
umask 022
PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t tmpfs -o mode=755,size=1m tmpfs /sys
cd /sys
while [ "$1" != -- ]; do
  if [ -e "$1" ] && [ ! -e ".$1" ]; then
    if [ -d "$1" ]; then mkdir -p ".$1"; else mkdir -p ".\${1%/*}"; : > ".$1"; fi
    mount --rbind "$1" ".$1"
    mount -o remount,bind,ro ".$1" || :
  fi
  shift
done
shift
mkdir proc old
mount -t proc proc proc || mount --rbind /proc proc
pivot_root . old
cd /
umount -l old
set +e
${runProgram}`

const dropRights = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']

/**
 * Returns the strictest sandbox that this machine allows. If root runs the service, the program runs as the user `nobody` in
 * every sandbox.
 *
 * @param program an absolute path
 * @param readablePaths what the program needs to read, apart from the system's libraries
 * @param probe arguments with which the program ends successfully if it works in the sandbox
 */
export async function findSandbox(
  program: string,
  readablePaths: readonly string[],
  probe: readonly string[],
): Promise<Sandbox> {
  const ids = isRoot() ? findReader() : undefined
  const [first, second, last] = listSandboxes(program, readablePaths, ids)
  if (await works(first, probe)) return first
  if (await works(second, probe)) return second
  if (ids === undefined || (await works(last, probe))) return last
  throw new Error(
    "files can't be read: Outdial runs as root, and the user nobody, who reads the files, can't open Outdial's folder. " +
      'Start Outdial as an ordinary user, or let other users read the folder',
  )
}

const works = ({ command, flags, ids }: Sandbox, probe: readonly string[]): Promise<boolean> =>
  promisify(execFile)(command, [...flags, ...probe], { env: {}, cwd: '/', ...ids }).then(
    () => true,
    () => false,
  )

function listSandboxes(
  program: string,
  readablePaths: readonly string[],
  ids: Account['ids'],
): [Sandbox, Sandbox, Sandbox] {
  const unshare = '/usr/bin/unshare'
  const paths = [...systemPaths, ...readablePaths, program, '--']
  // Root needs no user namespace. Without one, root can give the program a folder that other users can't enter.
  const user = ids === undefined ? [] : [`--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups']
  const inEmptyFolder = ['/bin/sh', '-c', runInEmptyFolder, 'sh', ...paths, 'setpriv', ...user, ...dropRights]
  const asUser = ids === undefined ? ['--map-root-user'] : []
  return [
    {
      command: unshare,
      flags: [...asUser, '--mount', ...namespaces, '--', ...inEmptyFolder, program],
      ids: undefined,
    },
    {
      command: unshare,
      flags: ['--map-root-user', ...namespaces, '--', '/bin/sh', '-c', runProgram, 'sh', program],
      ids,
    },
    { command: program, flags: [], ids },
  ]
}

function findReader(): Account['ids'] {
  const { ids } = lookUpAccount('nobody') ?? {}
  if (ids === undefined) throw new Error("files can't be read, because this machine has no user nobody")
  return ids
}
