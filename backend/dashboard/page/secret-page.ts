import { template } from './define-page.ts'

interface SecretData {
  heading: string
  lead: string
  /** Heading above the secret. */
  label: string
  secret: string
  notes: string[]
  back: { path: string; label: string }
}

/** Shows a secret once. The page is the response to the form itself, not a redirect, and isn't stored. */
export const secretPage = template<SecretData>('dashboard/page/secret-page')
