// A program for the tests: opens the embedded database as the service does, prints its URL and folder, and keeps it
// open until it's stopped or killed. Usage: `embedded-database-main.ts [temporary]`.
import pino from 'pino'
import { startEmbedded } from '../../platform/db/embedded/start-embedded.ts'

const temporary = process.argv[2] === 'temporary'
const writeLine = (fact: object) => process.stdout.write(`${JSON.stringify(fact)}\n`)
const log = pino({ level: 'warn' }, pino.destination(2))
try {
  const embedded = await startEmbedded({ dataDir: process.env.DATA_DIR, purpose: 'service', temporary, log })
  const stop = () => void embedded.stop().then(() => process.exit(0))
  process.on('SIGTERM', stop)
  process.stdin.on('end', stop).resume() // stdin ends if the test run was killed
  writeLine({ url: embedded.url, dataDir: embedded.dataDir })
} catch (error) {
  writeLine({ message: (error as Error).message })
  process.exit(1)
}
