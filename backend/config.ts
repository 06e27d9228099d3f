import * as z from 'zod'
import { ConfigError } from './platform/core/errors.ts'
import { loopbackHosts } from './platform/core/loopback.ts'
import { maxConnections } from './platform/db/connect.ts'

const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const proxy = z.union(
  [z.enum(['loopback', 'linklocal', 'uniquelocal']), z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  {
    error:
      'each item must be an IP address, a range such as 10.0.0.0/8, or loopback, linklocal, or uniquelocal',
  },
)
/** A URL without a path. If a proxy served Outdial under a path, links, cookies, and OAuth would break. */
const ownAddress = z
  .url({ protocol: /^https?$/, abort: true })
  .regex(
    /^[^/]+\/\/[^/?#@\\]+\/*$/,
    "must have only a host, such as https://calls.example.com: Outdial can't be served under a path",
  )
/** A URL to which paths can be appended. It has no credentials, because `fetch` rejects them, and the API key has a setting. */
const modelUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .regex(/^[^?#@]+$/, "can't have a user name, a query, or a fragment. Set LLM_API_KEY to the key instead")
/** The API key becomes part of a header, so it can have only visible ASCII characters. */
const modelKey = z.string().regex(/^[\x21-\x7e]+$/, "can't have spaces or special characters")
const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

/** The environment variables that configure the service. `.env.example` lists all of them. */
export const Environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65535).default(8787),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: ownAddress.optional(),
  DATA_DIR: z.string().optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  // The minimum is two for workspaces and two for everything else.
  DATABASE_CONNECTIONS: z.coerce.number().int().min(4).max(1_000).default(maxConnections),
  DATABASE_READ_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  SECRET_KEY: list.optional(),
  RUNTIME_SECRET: list.optional(),
  RUNTIME_SECRET_FILE: z.string().optional(),
  RUNTIME_SIGNING_KEY: list.optional(),
  RUNTIME_SIGNING_KEY_FILE: z.string().optional(),
  RUNTIME_URL: z.url({ protocol: /^https?$/ }).optional(),
  INTERNAL_URL: ownAddress.optional(),
  ALLOWED_HOSTS: list.optional(),
  TELEPHONY: z.enum(['simulated', 'http']).default('simulated'),
  SIMULATION_SPEED: z.coerce.number().min(0.1).max(10_000).optional(),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(600),
  METRICS_TOKEN: z.string().min(32, 'must have at least 32 characters').optional(),
  WORKER_PORT: z.coerce.number().int().min(1).max(65535).optional(),
  MAX_REQUESTS_IN_PROGRESS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    // With more requests in progress, each would only wait longer for a database connection.
    .default(10 * maxConnections),
  RATE_LIMIT_PER_WORKSPACE: z.coerce.number().int().min(1).max(10_000_000).optional(),
  MAX_API_KEYS_PER_MEMBER: z.coerce.number().int().min(1).max(10_000).default(20),
  MAX_WORKSPACES_PER_USER: z.coerce.number().int().min(1).max(10_000).default(20),
  SECURITY_CONTACT: z.union([z.url({ protocol: /^(https|mailto)$/ }), z.email()]).optional(),
  ALLOW_LOOPBACK_WEBHOOKS: flag.optional(),
  TRUSTED_PROXIES: list.pipe(z.array(proxy)).optional(),
  SHUTDOWN_DELAY_SECONDS: z.coerce.number().int().min(0).max(300).optional(),
  LLM_URL: modelUrl.optional(),
  LLM_API_KEY: modelKey.optional(),
  LLM_API_KEY_FILE: z.string().optional(),
  LLM_MODELS: list.optional(),
  LLM_FALLBACK_URL: modelUrl.optional(),
  LLM_FALLBACK_API_KEY: modelKey.optional(),
  LLM_FALLBACK_API_KEY_FILE: z.string().optional(),
  LLM_FALLBACK_MODEL: z.string().optional(),
  LLM_TOKENS_PER_DAY: z.coerce.number().int().min(0).max(1_000_000_000_000).default(2_000_000),
  ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

/** A server with the OpenAI chat completions protocol. */
export interface ModelServer {
  /** The base URL, without a trailing slash. */
  url: string
  apiKey: string | undefined
  /** A file with the API key, as an alternative to `apiKey`. It's watched for changes. */
  apiKeyFile: string | undefined
}

/** The language models that agents use. */
export interface LlmSettings extends ModelServer {
  /** The models that agents can use. The first is the default. */
  models: readonly [string, ...string[]]
  /** A model on another server, which is used if the agent's model fails. */
  fallback: (ModelServer & { model: string }) | undefined
  /** Maximum number of tokens that a workspace can use per day. 0 means no limit. */
  tokensPerDay: number
}

/** The service's settings, read once at startup. Documented in docs/reference/settings.md. */
export interface Config {
  port: number
  host: string
  /** The URL of the installation, without a trailing slash. */
  publicUrl: string
  dataDir: string | undefined
  databaseUrl: string | undefined
  /**
   * Maximum number of connections in this process's pools. Workers open one more for leases, and notifications use another
   * one.
   */
  databaseConnections: number
  /** The URL of a read replica of the database, for lists and exports of the dashboard. */
  databaseReadUrl: string | undefined
  /** The URL of the Redis server that all processes share. */
  redisUrl: string | undefined
  secretKeys: string[]
  /** The secrets in RUNTIME_SECRET. `Deps.runtimeSecrets` returns the secrets that are currently valid. */
  runtimeSecrets: string[]
  /** A file with the runtime secrets, as an alternative to RUNTIME_SECRET. It's watched for changes. */
  runtimeSecretFile: string | undefined
  /** The keys in RUNTIME_SIGNING_KEY. `Deps.runtimeSigningKeys` returns the keys that are currently valid. */
  runtimeSigningKeys: string[]
  /** A file with the signing keys, as an alternative to RUNTIME_SIGNING_KEY. It's watched for changes. */
  runtimeSigningKeyFile: string | undefined
  /** The URL of the agent runtime with TELEPHONY=http, without a trailing slash. */
  runtimeUrl: string | undefined
  /** The URL where agent runtimes reach this service for tools and reports, without a trailing slash. */
  internalUrl: string
  /** Values of `Host` to accept, in addition to those of PUBLIC_URL, INTERNAL_URL, HOST, and this machine. */
  allowedHosts: string[]
  telephony: 'simulated' | 'http'
  /** Simulated seconds per real second; 1 if real phones ring. */
  simulationSpeed: number
  rateLimitPerMinute: number
  maxRequestsInProgress: number
  /** The bearer token that Prometheus sends. */
  metricsToken: string | undefined
  /** The port for the health checks and metrics of a process with ROLE=worker. */
  workerPort: number | undefined
  /** True if the host in PUBLIC_URL means this machine, such as localhost. Without PUBLIC_URL, HOST must be such a host. */
  isLoopbackOnly: boolean
  /** Maximum requests per minute of all connections to one workspace. */
  rateLimitPerWorkspace: number
  /** Maximum number of active API keys of one member in one workspace. */
  maxApiKeysPerMember: number
  /** Maximum number of workspaces that one user can own. */
  maxWorkspacesPerUser: number
  /** A URL that says how to report a vulnerability. */
  securityContact: string | undefined
  allowLoopbackWebhooks: boolean
  /**
   * The origin of Zapier's hook URLs. Outdial reports to Zapier when a subscription with such a URL ends. Undefined in the
   * demo, so that nothing leaves the machine. Tests use another origin.
   */
  zapierHooksOrigin: string | undefined
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: string[]
  /** How long the process still accepts requests after SIGTERM, until load balancers have noticed. */
  shutdownDelaySeconds: number
  /** The language models that Outdial uses. Undefined without LLM_URL. */
  llm: LlmSettings | undefined
  role: 'all' | 'api' | 'worker'
  logLevel: string
}

/** RFC 9116, section 2.5.3: an email address is written as a mailto URL. */
const toContactUrl = (contact: string | undefined): string | undefined =>
  contact === undefined || contact.includes(':') ? contact : `mailto:${contact}`

const wildcardHosts = new Set(['0.0.0.0', '::'])

/** Removes slashes at the end. Without the lookbehind, a long run of slashes would be read again from each slash. */
const trimSlashes = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

/** Formats HOST for a URL. Clients can't connect to a wildcard, and IPv6 needs brackets (RFC 3986, section 3.2.2). */
function formatUrlHost(host: string): string {
  if (wildcardHosts.has(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Variables of earlier releases, with the names that replace them. */
export const renamedVariables: Record<string, string> = {}

/** Rejects old names. If they were ignored, the service would start with other settings than the operator chose. */
function requireNoOldNames(present: object): void {
  const messages = Object.entries(renamedVariables)
    .filter(([oldName]) => oldName in present)
    .map(([oldName, newName]) => `${oldName} was renamed to ${newName}. Rename the variable.`)
  if (messages.length > 0) throw new ConfigError(messages.join('\n'))
}

const secretNames = ['RUNTIME_SECRET', 'RUNTIME_SIGNING_KEY', 'LLM_API_KEY', 'LLM_FALLBACK_API_KEY'] as const

/** Rejects a secret that's set as text and as a file: it wouldn't be clear which one counts. */
function requireOneSource(env: z.infer<typeof Environment>): void {
  for (const name of secretNames) {
    if (env[name] !== undefined && env[`${name}_FILE`] !== undefined)
      throw new ConfigError(`${name} and ${name}_FILE are both set. Set only one of them.`)
  }
}

/** Reads the settings of the language models, and rejects those that would silently have no effect. */
function readLlmSettings(env: z.infer<typeof Environment>): LlmSettings | undefined {
  if (env.LLM_FALLBACK_URL !== undefined && env.LLM_FALLBACK_MODEL === undefined)
    throw new ConfigError('LLM_FALLBACK_URL needs LLM_FALLBACK_MODEL: the name of the model to use there.')
  if (env.LLM_FALLBACK_MODEL !== undefined && env.LLM_FALLBACK_URL === undefined)
    throw new ConfigError('LLM_FALLBACK_MODEL needs LLM_FALLBACK_URL: the server that has this model.')
  if (env.LLM_URL === undefined) {
    const [name] = (['LLM_MODELS', 'LLM_FALLBACK_URL'] as const).filter((key) => env[key] !== undefined)
    if (name !== undefined) throw new ConfigError(`${name} needs LLM_URL: the server that the models are on.`)
    return undefined
  }
  const [firstModel, ...models] = env.LLM_MODELS ?? []
  if (firstModel === undefined) {
    throw new ConfigError(
      'LLM_URL needs LLM_MODELS: a list with the names of the models to use there. The first one is the default.',
    )
  }
  return {
    url: trimSlashes(env.LLM_URL),
    apiKey: env.LLM_API_KEY,
    apiKeyFile: env.LLM_API_KEY_FILE,
    models: [firstModel, ...models],
    fallback:
      env.LLM_FALLBACK_URL !== undefined && env.LLM_FALLBACK_MODEL !== undefined
        ? {
            url: trimSlashes(env.LLM_FALLBACK_URL),
            apiKey: env.LLM_FALLBACK_API_KEY,
            apiKeyFile: env.LLM_FALLBACK_API_KEY_FILE,
            model: env.LLM_FALLBACK_MODEL,
          }
        : undefined,
    tokensPerDay: env.LLM_TOKENS_PER_DAY,
  }
}

/**
 * Parses the environment variables.
 *
 * @throws {ConfigError} that names every invalid variable
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  requireNoOldNames(present)
  const parsed = Environment.safeParse(present)
  if (!parsed.success) {
    const messages = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(
      `Some environment variables aren't valid. Correct them, then start again.\n${messages.join('\n')}`,
    )
  }
  const env = parsed.data
  if (env.TELEPHONY === 'http' && env.RUNTIME_URL === undefined) {
    throw new ConfigError(
      'TELEPHONY=http needs RUNTIME_URL: the address of the agent runtime that makes the calls, for example https://runtime.example.com.',
    )
  }
  if (env.DATABASE_READ_URL !== undefined && env.DATABASE_URL === undefined) {
    throw new ConfigError(
      'DATABASE_READ_URL needs DATABASE_URL. Set DATABASE_URL to the database that the read replica copies.',
    )
  }
  requireOneSource(env)
  const publicUrl = trimSlashes(env.PUBLIC_URL ?? `http://${formatUrlHost(env.HOST)}:${env.PORT}`)
  const isLoopbackOnly =
    loopbackHosts.has(new URL(publicUrl).hostname) &&
    !(env.PUBLIC_URL === undefined && wildcardHosts.has(env.HOST))
  const isTrial = env.DATABASE_URL === undefined && isLoopbackOnly
  // Only the demo, which uses the embedded database, shortens delays between attempts by default.
  const defaultSpeed = env.DATABASE_URL === undefined ? 10 : 1
  // The delay is for load balancers, which never send requests to a worker or to a process with an embedded database.
  const defaultShutdownDelay = env.DATABASE_URL === undefined || env.ROLE === 'worker' ? 0 : 5
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    databaseConnections: env.DATABASE_CONNECTIONS,
    databaseReadUrl: env.DATABASE_READ_URL,
    redisUrl: env.REDIS_URL,
    secretKeys: env.SECRET_KEY ?? [],
    runtimeSecrets: env.RUNTIME_SECRET ?? [],
    runtimeSecretFile: env.RUNTIME_SECRET_FILE,
    runtimeSigningKeys: env.RUNTIME_SIGNING_KEY ?? [],
    runtimeSigningKeyFile: env.RUNTIME_SIGNING_KEY_FILE,
    runtimeUrl: env.RUNTIME_URL && trimSlashes(env.RUNTIME_URL),
    internalUrl: trimSlashes(env.INTERNAL_URL ?? publicUrl),
    allowedHosts: env.ALLOWED_HOSTS ?? [],
    telephony: env.TELEPHONY,
    simulationSpeed: env.TELEPHONY === 'simulated' ? (env.SIMULATION_SPEED ?? defaultSpeed) : 1,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    maxRequestsInProgress: env.MAX_REQUESTS_IN_PROGRESS,
    metricsToken: env.METRICS_TOKEN,
    workerPort: env.ROLE === 'worker' ? env.WORKER_PORT : undefined,
    isLoopbackOnly,
    rateLimitPerWorkspace: env.RATE_LIMIT_PER_WORKSPACE ?? 5 * env.RATE_LIMIT_PER_MINUTE,
    maxApiKeysPerMember: env.MAX_API_KEYS_PER_MEMBER,
    maxWorkspacesPerUser: env.MAX_WORKSPACES_PER_USER,
    securityContact: toContactUrl(env.SECURITY_CONTACT),
    allowLoopbackWebhooks: env.ALLOW_LOOPBACK_WEBHOOKS ?? isTrial,
    zapierHooksOrigin: isTrial ? undefined : 'https://hooks.zapier.com',
    trustedProxies: env.TRUSTED_PROXIES ?? [],
    shutdownDelaySeconds: env.SHUTDOWN_DELAY_SECONDS ?? defaultShutdownDelay,
    llm: readLlmSettings(env),
    role: env.ROLE,
    logLevel: env.LOG_LEVEL,
  }
}
