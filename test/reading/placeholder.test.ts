import { expect, it } from '@jest/globals'
import { isPlaceholder } from '../../reading/placeholder.ts'

it.each(['N/A', 'n/a', 'null', 'NULL', 'Undefined', 'none', ' None ', '-', '–', '---'])(
  'takes %j for a blank field',
  (text) => {
    expect(isPlaceholder(text)).toBe(true)
  },
)

it.each(['', ' ', 'NA', 'No', '0', 'Nonesuch', 'none of these', '- x', '?', '.'])(
  'takes %j for itself',
  (text) => {
    expect(isPlaceholder(text)).toBe(false)
  },
)
