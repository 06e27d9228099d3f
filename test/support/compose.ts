import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'

const Service = z.looseObject({
  image: z.string().optional(),
  build: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  volumes: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  stop_grace_period: z.string().optional(),
})
const Compose = z.object({
  name: z.string(),
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.unknown()).default({}),
})

type Compose = z.output<typeof Compose>

/** Parses compose.yaml without replacing the variables in it. */
export const readCompose = (file: string): Compose => Compose.parse(parse(readFileSync(file, 'utf8')))

/** Returns the names of the variables that a value refers to. */
export const variablesIn = (value: string): string[] =>
  [...value.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name)

/** Replaces `${NAME}`, `${NAME:-default}`, and `${NAME:?error}`, as Docker Compose does. */
export const interpolate = (value: string, variables: Record<string, string>): string =>
  value.replace(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, text?: string) => {
    const given = variables[name]
    if (given !== undefined && given !== '') return given
    if (kind === '?') throw new Error(text)
    return text ?? ''
  })
