import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeAfterEarlyAnswer } from './early-answers.ts'
import { hasBody } from './read-body.ts'

/** A request's body that's still arriving. */
export interface ArrivingBody {
  req: IncomingMessage
  res: ServerResponse
  startedAt: number
  /** The number of bytes that the connection had received when the body began. */
  bytesBefore: number
  isUpload: boolean
  /** Keys of the workspace, user, credential, or network that the bytes count toward. Empty until the sender is known. */
  owners: string[]
  /** Functions to call when the body is no longer arriving, for whatever reason. */
  onEnd: (() => void)[]
}

/** Tracks the bodies that are still arriving. Clients decide how long that takes, so bodies have separate limits. */
export class ArrivingBodies {
  readonly #bodies = new Map<IncomingMessage, ArrivingBody>()
  readonly #lingerMs: number

  /** @param options.lingerMs how long the rest of a body is still read after an early response */
  constructor({ lingerMs }: { lingerMs: number }) {
    this.#lingerMs = lingerMs
  }

  /** Adds the body of a request, if it has one. */
  watch(req: IncomingMessage, res: ServerResponse): void {
    if (!hasBody(req)) return
    this.#bodies.set(req, {
      ...{ req, res, startedAt: performance.now(), bytesBefore: req.socket.bytesRead },
      ...{ isUpload: false, owners: [], onEnd: [] },
    })
    closeAfterEarlyAnswer(req, res, { lingerMs: this.#lingerMs, onAnswer: () => this.remove(req) })
  }

  /** Returns the body of a request while it's arriving. */
  find(req: IncomingMessage): ArrivingBody | undefined {
    if (req.complete || req.destroyed) this.remove(req)
    return this.#bodies.get(req)
  }

  /** Returns all bodies that are arriving, the oldest ones first. */
  list(): ArrivingBody[] {
    return [...this.#bodies.keys()].flatMap((req) => this.find(req) ?? [])
  }

  remove(req: IncomingMessage): void {
    const body = this.#bodies.get(req)
    this.#bodies.delete(req)
    for (const end of body?.onEnd ?? []) end()
  }
}

/** Returns how many bytes of a body have arrived. */
export const countBytes = ({ req, bytesBefore }: ArrivingBody): number => req.socket.bytesRead - bytesBefore
