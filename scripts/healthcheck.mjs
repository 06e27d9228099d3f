// Exits with 0 if the service on this machine and its database respond. For the health check of the Docker image.
const { ROLE, PORT, WORKER_PORT } = process.env
const port = (ROLE === 'worker' && WORKER_PORT) || PORT || '8787'
try {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`)
  if (!response.ok) throw new Error(`/readyz returned ${response.status}`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
