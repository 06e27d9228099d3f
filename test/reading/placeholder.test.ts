import { expect, it } from '@jest/globals'
import { isPlaceholder } from '../../reading/placeholder.ts'

it.each(['N/A', 'n/a', 'null', 'NULL', 'Undefined', 'none', ' None ', '-', '–', '---'])(
  'reads %j as a placeholder for a blank field',
  (text) => {
    expect(isPlaceholder(text)).toBe(true)
  },
)

it.each(['', ' ', 'NA', 'No', '0', 'Nonesuch', 'none of these', '- x', '?', '.'])(
  "doesn't read %j as a placeholder for a blank field",
  (text) => {
    expect(isPlaceholder(text)).toBe(false)
  },
)
