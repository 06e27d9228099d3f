// Exits with 0 if the service on this machine and its database respond. For the health check of the Docker image, and for
// the systemd unit.
const { ROLE, HOST, PORT, WORKER_PORT } = process.env
const port = (ROLE === 'worker' && WORKER_PORT) || PORT || '8787'
// If the service listens on every address, the request goes to the loopback address.
const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[HOST] ?? (HOST || '127.0.0.1')
try {
  const response = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`)
  if (!response.ok) throw new Error(`/readyz returned ${response.status}`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
