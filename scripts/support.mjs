import { runCommands } from './run-commands.mjs'

await runCommands('supportProgram')
