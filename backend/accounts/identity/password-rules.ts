import * as z from 'zod'
import { rule, ruleIssue, validateByRules } from '../../platform/core/validate-rules.ts'

const minPasswordLength = 10
/** Maximum length of a password. The sign-in form doesn't accept longer ones, either. */
export const maxPasswordLength = 1024

/** Minimum length of a forbidden word. Shorter ones are part of too many other words. */
const minForbiddenLength = 4

/** Minimum number of different characters. Even random passwords of only digits nearly always have at least this many. */
const minDifferentCharacters = 5

/** Minimum length of an entry in the list of common passwords. Shorter entries are part of random passwords, too. */
const minCommonWordLength = 4

/** The user who gets a new password. */
export interface PasswordOwner {
  email: string
  name: string
}

/**
 * Checks a new password as NIST SP 800-63B, section 3.1.1.2 recommends: its length, a list of common passwords, repeated
 * characters, and words that are known about the user. There are no rules about kinds of characters.
 *
 * @throws {ApiError} `validation_failed` about the field
 */
export async function checkNewPassword(password: string, owner: PasswordOwner, field: string): Promise<void> {
  const commonPasswords = await loadCommonPasswords()
  const NewPassword = z
    .string()
    .refine(
      (text) => text.length >= minPasswordLength,
      rule('too_small', `The password is too short. Use at least ${minPasswordLength} characters.`),
    )
    .refine(
      (text) => text.length <= maxPasswordLength,
      rule('too_big', `The password is too long. Use at most ${maxPasswordLength} characters.`),
    )
    .superRefine((text, context) => {
      const lowerCase = text.toLowerCase()
      if (commonPasswords.has(lowerCase)) context.addIssue(commonPasswordIssue)
      else if (text.length > maxPasswordLength) return
      else if (isRepetitive(lowerCase) || isCommonWords(lowerCase, commonPasswords))
        context.addIssue(guessablePasswordIssue)
      else if (toForbiddenWords(owner).some((word) => lowerCase.includes(word)))
        context.addIssue(personalPasswordIssue)
    })
  validateByRules(z.object({ [field]: NewPassword }), { [field]: password })
}

const commonPasswordIssue = ruleIssue(
  'common_password',
  'This is one of the most common passwords. Choose a different one, for example several random words.',
)
const guessablePasswordIssue = ruleIssue(
  'common_password',
  'This password is easy to guess. Choose a different one, for example three or more random words.',
)
const personalPasswordIssue = ruleIssue(
  'personal_password',
  "The password contains the user's name or email. Choose one without them.",
)

/**
 * Returns true for text with few different characters, or that repeats a part: "1212" twice has "1212" in its middle.
 */
const isRepetitive = (text: string): boolean =>
  new Set(text).size < minDifferentCharacters || `${text}${text}`.indexOf(text, 1) < text.length

/** Returns true for one or two common passwords with digits or punctuation around them, such as `horse!2026`. */
function isCommonWords(text: string, commonPasswords: ReadonlySet<string>): boolean {
  const words = /\p{L}.*\p{L}/su.exec(text)?.[0] ?? ''
  // Two of the list's entries together are never longer than 64 characters.
  if (words.length < minCommonWordLength || words.length > 64) return false
  if (commonPasswords.has(words)) return true
  for (let end = minCommonWordLength; end <= words.length - minCommonWordLength; end += 1) {
    if (commonPasswords.has(words.slice(0, end)) && commonPasswords.has(words.slice(end))) return true
  }
  return false
}

/** Returns the words that a user's password must not contain: the email, the part before the @, and the name and its words. */
function toForbiddenWords({ email, name }: PasswordOwner): string[] {
  const lowerName = name.toLowerCase()
  const words = [email.toLowerCase(), email.toLowerCase().split('@')[0] ?? '', ...lowerName.split(/\s+/)]
  return [...words, lowerName, lowerName.replace(/\s+/g, '')].filter(
    (word) => word.length >= minForbiddenLength,
  )
}

let loading: Promise<ReadonlySet<string>> | undefined

/** Loads the list of about 49,000 passwords when it's first needed, because decompressing it takes a moment. */
const loadCommonPasswords = (): Promise<ReadonlySet<string>> =>
  (loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((password) => password.toLowerCase())),
  ))
