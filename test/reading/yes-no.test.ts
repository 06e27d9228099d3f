import { expect, it } from '@jest/globals'
import { readDoNotCall, readYesNo } from '../../reading/yes-no.ts'
import { yesNoCases } from './cases/yes-no.ts'

it.each(yesNoCases)('reads %j as %p, and as %p for a do-not-call field', (text, answer, doNotCall) => {
  expect([readYesNo(text), readDoNotCall(text)]).toEqual([answer, doNotCall])
})

it.each(['', ' ', '.'])('reads %j as neither yes nor no', (text) => {
  expect([readYesNo(text), readDoNotCall(text)]).toEqual([undefined, undefined])
})
