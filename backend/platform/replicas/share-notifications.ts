import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import type { Notify } from '../core/notify.ts'
import { getConnectionOptions } from '../db/connect.ts'
import { keepListening } from '../db/listening-connection.ts'

/** Notifies this process and the others. */
interface SharedNotifications {
  /** Notifies this process at once, and other processes with workers within milliseconds. */
  notify: Notify
  /** Sends what waits to be sent, and closes the connection. */
  close: () => Promise<void>
}

/** Minimum time between two messages of a process, because a busy process has hundreds of notifications per second. */
const intervalMs = 5
/** After another process's notification, workers wait a random time: at most this long, and at most 1 ms per other worker. */
const maxDelayMs = 5
/**
 * After a worker has looked for work because of another process, it waits this long per other worker, on average, before it
 * looks again for that reason. So all workers together look about 50 times a second, however many there are.
 */
const turnMs = 20

const QueueName = z.enum(['callQueued', 'deliveryQueued', 'importQueued'])
type QueueName = z.infer<typeof QueueName>

/** A message between processes. A version may only add fields and names: two versions run side by side during an upgrade. */
const Message = z.object({
  /** The ID of the process that sent the message. */
  from: z.string(),
  queued: z.array(z.string()),
  /** Attempts about which the agent runtime has reported something. */
  reported: z.array(z.string()),
})
type Message = z.infer<typeof Message>

/** Maximum number of attempt IDs in a message. PostgreSQL limits a message to 8,000 bytes. */
const maxReportedPerMessage = 150

/**
 * Shares the notifications that make work start, with PostgreSQL's NOTIFY: about queued calls, deliveries, and imports,
 * and about reports of agent runtimes. They're sent after the commit and on a separate connection, because transactions that
 * contain NOTIFY wait for each other.
 *
 * Nothing depends on a message: workers also look for work once a second, and for reports four times a second. So a process
 * with workers sends no messages while it knows of no other process with workers.
 *
 * @param local the notifications of this process
 * @param otherWorkers returns how many other processes have workers
 */
export function shareNotifications(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'metrics' | 'random' | 'replicas'>,
  local: Notify,
  otherWorkers: () => number,
): SharedNotifications {
  const { config, db, log, metrics, random, replicas } = deps
  const queued = new Set<QueueName>()
  const reported = new Set<string>()
  /** The queues that this process will look at in its turn, and when it last looked because of another process. */
  const planned = new Set<QueueName>()
  const lookedAt = new Map<QueueName, number>()
  let sending: Promise<void> | undefined
  let isClosing = false

  /** Notifies this process's workers in their turn, so that not all processes look for the same work at once. */
  const notifyInTurn = (name: QueueName) => {
    if (planned.has(name)) return
    const now = performance.now()
    const turnAt = chooseTurn({ random }, { now, lookedAt: lookedAt.get(name), others: otherWorkers() })
    const look = () => {
      planned.delete(name)
      lookedAt.set(name, performance.now())
      local[name]()
    }
    if (turnAt <= now) {
      look()
      return
    }
    planned.add(name)
    setTimeout(look, turnAt - now)
  }

  const receive = (text: string) => {
    const message = parseMessage(text)
    if (message === undefined || message.from === replicas.nodeId) return
    message.reported.forEach((attemptId) => local.reportReceived(attemptId))
    for (const name of message.queued) {
      const known = QueueName.safeParse(name).data
      if (known !== undefined) notifyInTurn(known)
    }
  }

  const connection = keepListening(
    { log },
    {
      url: getConnectionOptions(db).url,
      channel: 'outdial',
      onMessage: config.role === 'api' ? undefined : receive,
      onConnect: () => {
        metrics.notificationsUp.set(1)
        QueueName.options.forEach((name) => local[name]())
        sendSoon()
      },
      onLost: () => metrics.notificationsUp.set(0),
    },
  )

  /** Takes the notifications that wait to be sent, and returns them as messages. */
  const takeMessages = (): Message[] => {
    const attemptIds = [...reported]
    const names = [...queued]
    reported.clear()
    queued.clear()
    const count = Math.max(1, Math.ceil(attemptIds.length / maxReportedPerMessage))
    return Array.from({ length: count }, (_, index) => ({
      from: replicas.nodeId,
      queued: index === 0 ? names : [],
      reported: attemptIds.slice(index * maxReportedPerMessage, (index + 1) * maxReportedPerMessage),
    }))
  }

  const sendAll = async () => {
    await Promise.resolve() // until the caller has notified about everything
    while (queued.size + reported.size > 0 && connection.isConnected()) {
      const pause = isClosing ? undefined : wait(intervalMs)
      const messages = takeMessages()
      try {
        await connection.notify(messages.map((message) => JSON.stringify(message)))
      } catch {
        // The connection logs the error. Names of queues are sent when it's back. IDs of attempts are dropped, because
        // workers look for reports often enough to find them earlier.
        for (const name of messages.flatMap((message) => message.queued)) queued.add(QueueName.parse(name))
        break
      }
      await pause
    }
    sending = undefined
  }

  const sendSoon = () => {
    sending ??= sendAll()
  }

  /**
   * Returns true if no other process needs notifications. That's never the case in a process without workers, which needs
   * another process to do the work.
   */
  const isAlone = () => config.role !== 'api' && otherWorkers() === 0

  const shareQueued = (name: QueueName) => () => {
    local[name]()
    if (isAlone()) return
    queued.add(name)
    sendSoon()
  }

  return {
    notify: {
      ...local,
      callQueued: shareQueued('callQueued'),
      deliveryQueued: shareQueued('deliveryQueued'),
      importQueued: shareQueued('importQueued'),
      reportReceived: (attemptId) => {
        local.reportReceived(attemptId)
        if (isAlone() || !connection.isConnected()) return
        reported.add(attemptId)
        sendSoon()
      },
    },
    close: async () => {
      isClosing = true
      await sending
      await connection.close()
    },
  }
}

/** When a worker was notified, when it last looked because of another process, and how many other workers there are. */
interface Notified {
  now: number
  lookedAt: number | undefined
  others: number
}

/**
 * Returns when a worker looks for work after another process's notification, on the same clock as `now`. The pause since its
 * last look is random: otherwise, workers that looked at the same time would all pause, and then look at the same time again.
 */
export function chooseTurn({ random }: Pick<Deps, 'random'>, { now, lookedAt, others }: Notified): number {
  const soon = now + random() * Math.min(others, maxDelayMs)
  return lookedAt === undefined ? soon : Math.max(soon, lookedAt + random() * 2 * others * turnMs)
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function parseMessage(text: string): Message | undefined {
  try {
    return Message.safeParse(JSON.parse(text)).data
  } catch {
    return undefined // the message is from another program
  }
}
