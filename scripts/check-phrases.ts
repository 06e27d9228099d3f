// cspell:ignore bmend
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Phrases and word forms that are always wrong in this project, with the replacement. The spell checker's `flagWords` finds
 * only exact words.
 */
const phrases: readonly [RegExp, string][] = [
  [/\bfor ever\b/gi, 'forever'],
  [/\bgiven up\b/gi, 'no retries left, or stops retrying'],
  [/\banswer(?:s|ed|ing)? (?:with )?(?:an? )?[1-5]\d\d\b/gi, 'responds with, or returns'],
  [/\btold (?:of|from|apart)\b/gi, 'the ordinary verb: notified, distinguished'],
  [/\bonce more\b/gi, 'again'],
  [/\be-?mailed\b|\be-?mailing\b|\be-mails\b/gi, 'email'],
  [/\bmend(?:s|ed|ing)\b/gi, 'fix'],
  [/’/g, "a straight apostrophe (')"],
]

/** Matches what's between two words of a phrase: a space, or a line break with the start of a comment's next line. */
const gap = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|//|#|--|>)?[ \t]*)`
const patterns = phrases.map(
  ([{ source, flags }, instead]) => [new RegExp(source.replaceAll(' ', gap), flags), instead] as const,
)

/** Returns the wrong phrases in a text, including those split across lines, with the line on which each starts. */
export const findPhrases = (text: string): { line: number; found: string; instead: string }[] =>
  patterns.flatMap(([pattern, instead]) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      line: text.slice(0, index).split('\n').length,
      found,
      instead,
    })),
  )

/** Matches generated files, applied migrations, and texts by other people. */
const excluded =
  /^backend\/platform\/db\/migrations\/|\/fixtures\/|package-lock\.json$|^LICENSE$|\.(?:png|svg)$|^scripts\/check-phrases\.ts$|^test\/repository\/spelling\.test\.ts$/

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0')
  const issues = files
    .filter((file) => file !== '' && !excluded.test(file))
    .flatMap((file) =>
      findPhrases(readFileSync(file, 'utf8')).map(
        ({ line, found, instead }) => `${file}:${line} “${found}”: write ${instead}.`,
      ),
    )
  if (issues.length > 0) {
    console.error(issues.join('\n'))
    process.exitCode = 1
  }
}
