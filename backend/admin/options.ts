import * as z from 'zod'
import { required, text } from './command.ts'

const Id = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number')
  .transform(Number)

export const workspaceOption = required(Id, 'ID', 'the workspace: see list-workspaces')
export const emailOption = required(text, 'ADDRESS', 'the person, by the address they sign in with')
export const idOption = (what: string) => required(Id, 'ID', what)
export const campaignOption = idOption('the campaign: see list-campaigns')
