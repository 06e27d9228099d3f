import type { Deps } from '../deps.ts'
import { campaignLines } from './campaigns/lines.ts'
import type { Line } from './lines.ts'
import { phoneNumberLines } from './phone-numbers/lines.ts'

/** Every page of a workspace: the lines of each folder, in the order of the navigation. */
export const createLines = (deps: Deps): Line[] => [...campaignLines(deps), ...phoneNumberLines(deps)]
