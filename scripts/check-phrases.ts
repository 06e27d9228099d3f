import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Phrases that are always wrong here, and what to write instead. The spell checker finds single words only; its
 * `flagWords` has those.
 */
const phrases: readonly [RegExp, string][] = [
  [/\bfor ever\b/i, 'forever'],
  [/\bgiven up\b/i, 'no retries left, or stops retrying'],
  [/\banswer(?:s|ed|ing)? (?:with )?(?:an? )?[1-5]\d\d\b/i, 'responds with, or returns'],
  [/\btold (?:of|from|apart)\b/i, 'the ordinary verb: notified, distinguished'],
  [/\bonce more\b/i, 'again'],
  [/’/, "a straight apostrophe (')"],
]

/** Returns the wrong phrases of a text, with their lines. */
export const findPhrases = (text: string): { line: number; found: string; instead: string }[] =>
  text.split('\n').flatMap((lineText, index) =>
    phrases.flatMap(([pattern, instead]) => {
      const found = pattern.exec(lineText)?.[0]
      return found === undefined ? [] : [{ line: index + 1, found, instead }]
    }),
  )

/** Generated files, applied migrations, and what other people wrote. */
const excluded =
  /^backend\/db\/migrations\/|\/fixtures\/|package-lock\.json$|^LICENSE$|\.(?:png|svg)$|^scripts\/check-phrases\.ts$|^test\/repository\/spelling\.test\.ts$/

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
