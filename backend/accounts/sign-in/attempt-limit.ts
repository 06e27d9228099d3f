import type { Deps } from '../../deps.ts'
import { hourMs, minuteMs } from '../../platform/core/durations.ts'
import { toNetworks } from '../../platform/core/networks.ts'
import { createSharedCounter } from '../../platform/replicas/shared-counter.ts'
import type { AttemptLimitName } from '../../platform/views/page-error.ts'

interface AttemptLimit {
  /** Counts an attempt. Returns false if there were too many. */
  consume(key: string): Promise<boolean>
  /** Resets the count of a key, after a successful attempt. */
  clear(key: string): Promise<void>
}

type LimitDeps = Pick<Deps, 'clock' | 'replicas'>

const limit = { maxAttempts: 10, windowMs: 5 * minuteMs }

/**
 * Allows ten attempts per key within five minutes of the first one. An attempt is counted before it's made, so that
 * concurrent attempts count too.
 */
export function createAttemptLimit(deps: LimitDeps, name: string): AttemptLimit {
  const attempts = createSharedCounter(deps, { name, windowMs: limit.windowMs })
  return {
    consume: async (key) => (await attempts.add(key)).count <= limit.maxAttempts,
    clear: (key) => attempts.clear(key),
  }
}

/** An attempt to sign in to an account. */
interface SignInAttempt {
  ip: string
  /** The folded email. */
  account: string
  /** True if the browser has signed in to this account before. */
  isKnownDevice: boolean
}

interface SignInLimits {
  /** Counts an attempt before it's made. Returns the limit that it exceeds, if any. */
  consume(attempt: SignInAttempt): Promise<AttemptLimitName | undefined>
  /** Takes back the count of a successful attempt. */
  succeed(attempt: SignInAttempt): Promise<void>
}

const maxPerNetwork = 60
/** Maximum per site. An IPv6 /48, which hosting providers assign to one customer (RFC 6177), contains many networks. */
const maxPerSite = 240
/** Maximum per account in an hour. After more attempts, strangers are probably guessing its password. */
const maxPerAccount = 50
/**
 * Above `maxPerAccount`, each site is still allowed this many attempts on the account, because one of the sites may be the
 * owner's.
 */
const maxPerSiteOfGuessedAccount = 3
const maxPerGuessedAccount = 250

/**
 * Limits sign-in attempts per account and network, per network, and per account.
 *
 * Everyone's attempts on an account count together, so strangers could lock its owner out. Therefore, a site without earlier
 * attempts is still allowed a few. A browser that has signed in to the account before is counted separately (OWASP, "Slow Down
 * Online Guessing Attacks with Device Cookies").
 */
export function createSignInLimits(deps: LimitDeps): SignInLimits {
  const perPair = createAttemptLimit(deps, 'sign_ins_per_pair')
  const perNetwork = createSharedCounter(deps, { name: 'sign_ins_per_network', windowMs: limit.windowMs })
  const perAccount = createSharedCounter(deps, { name: 'sign_ins_per_account', windowMs: hourMs })
  const perAccountInSite = createSharedCounter(deps, {
    name: 'sign_ins_per_account_and_site',
    windowMs: hourMs,
  })
  const siteKey = ({ ip, account }: SignInAttempt) => `${toNetworks(ip)[1]} ${account}`
  const pairKey = ({ ip, account, isKnownDevice }: SignInAttempt) =>
    `${isKnownDevice ? 'known' : toNetworks(ip)[0]} ${account}`

  return {
    consume: async (attempt) => {
      if (!(await perPair.consume(pairKey(attempt)))) return 'account-in-network'
      if (attempt.isKnownDevice) return undefined
      const [network, site] = toNetworks(attempt.ip)
      // Counts the network and the site, even if the network is already over its limit.
      const [inNetwork, inNetworkSite] = await Promise.all([perNetwork.add(network), perNetwork.add(site)])
      if (inNetwork.count > maxPerNetwork || inNetworkSite.count > maxPerSite) return 'network'
      const [inAll, inSite] = await Promise.all([
        perAccount.add(attempt.account),
        perAccountInSite.add(siteKey(attempt)),
      ])
      if (inAll.count <= maxPerAccount) return undefined
      if (inAll.count <= maxPerGuessedAccount && inSite.count <= maxPerSiteOfGuessedAccount) return undefined
      // A rejected attempt isn't counted. Otherwise, a few sites could use up the attempts of all others.
      await perAccount.subtract(attempt.account)
      return 'account'
    },
    succeed: async (attempt) => {
      await perPair.clear(pairKey(attempt))
      if (attempt.isKnownDevice) return
      await Promise.all([
        ...toNetworks(attempt.ip).map((network) => perNetwork.subtract(network)),
        perAccount.subtract(attempt.account),
        perAccountInSite.subtract(siteKey(attempt)),
      ])
    },
  }
}
