import { expect, it } from '@jest/globals'
import { Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import { vocabularyRule } from '../../scripts/vocabulary-rule.ts'

const lint = (code: string) =>
  new Linter().verify(code, {
    languageOptions: { parser: tseslint.parser },
    plugins: { outdial: { rules: { vocabulary: vocabularyRule } } },
    rules: { 'outdial/vocabulary': 'error' },
  })

it.each([
  'const isFault = 1',
  'const MAX_TALK_MS = 1',
  'function adoptCalls() {}',
  'class RefusalError {}',
  'type Trouble = string',
  'interface Call { grace_ms: number }',
  'interface Call { adopt(): void }',
  'class Call { #flight = 1 }',
  'class Call { tellCaller() {} }',
  'call({ refused: true })',
  'call((fault) => {})',
  'const { told } = call',
  'const { issue: fault } = call',
  'const [fault] = issues',
  'try {} catch (trouble) {}',
  'type Report = (fault: string) => void',
  "import { issue as fault } from './issue.ts'",
])('rejects a word that the glossary replaced: %s', (code) => {
  expect(lint(code)).toMatchObject([{ messageId: 'replaced' }])
})

it.each([
  'const inFlightCalls = defaultValue',
  "import { fault, type Trouble } from 'elsewhere'",
  'elsewhere.fault = elsewhere.refuse(fault)',
  "call({ '/refused': 1, [fault]: 2, fault })",
  'new Resolver({ tries: 2 })',
  'const { fault: issue } = elsewhere',
])('accepts other words, and names that other packages define: %s', (code) => {
  expect(lint(code)).toEqual([])
})
