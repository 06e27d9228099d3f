import * as z from 'zod'

export const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Settings of an HTTP tool. The URL and the values of headers may refer to secrets as `{{secret.NAME}}`. */
export const HttpSettings = z.strictObject({
  method: z.enum(httpMethods),
  /** A template: `{city}` in its path or query is replaced by the argument. */
  url: z.string().min(1).max(2000),
  headers: z.record(z.string(), z.string()).default({}),
})
export type HttpSettings = z.infer<typeof HttpSettings>

/** Whose arguments go to the body; those of the others go to the query. */
export const hasBody = (method: HttpSettings['method']): boolean => method !== 'GET' && method !== 'DELETE'
