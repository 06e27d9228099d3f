import { template } from './define-page.ts'

interface SecretData {
  heading: string
  lead: string
  /** What the secret is called, over it. */
  label: string
  secret: string
  notes: string[]
  back: { path: string; label: string }
}

/** A page with a secret, shown this one time: it is no redirect's target, and nothing keeps it. */
export const secretPage = template<SecretData>('dashboard/page/secret-page')
