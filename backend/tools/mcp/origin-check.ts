import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../config.ts'
import { createKnownHosts } from '../../platform/http/host-check.ts'
import { ToolServerError } from './tool-server-error.ts'

/**
 * Creates a check that rejects requests whose Host, or Origin if a browser sends one, isn't this service's or this
 * machine's. Otherwise any web page could reach the tools through its visitor's browser (DNS rebinding).
 *
 * @throws {ToolServerError} origin_not_allowed
 */
export function createOriginCheck(
  config: Pick<Config, 'publicUrl' | 'internalUrl' | 'host' | 'allowedHosts'>,
) {
  const isKnown = createKnownHosts(config)

  return ({ host, origin }: IncomingHttpHeaders): void => {
    if (!isKnown(host)) throw new ToolServerError('origin_not_allowed.host')
    if (origin !== undefined && !isKnown(parseOriginHost(origin)))
      throw new ToolServerError('origin_not_allowed.origin')
  }
}

/** Returns undefined for `null`, and for anything else that isn't the origin of a web page. */
const parseOriginHost = (origin: string): string | undefined => /^https?:\/\/([^/?#@\\]+)$/i.exec(origin)?.[1]
