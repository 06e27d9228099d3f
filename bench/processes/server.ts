import { startService } from '../../backend/start.ts'
import { serve } from './serve.ts'

/** The service as `npm start` runs it, with settings from the environment. */
const service = await startService(process.env)
serve({ port: service.config.port, stop: () => service.stop() })
