// Exits with 0 if the service on this machine and its database respond. The Docker image's health check and the systemd unit
// run this script.
const { ROLE, HOST, PORT, WORKER_PORT } = process.env
const port = (ROLE === 'worker' && WORKER_PORT) || PORT || '8787'
// If HOST is a wildcard, the request goes to the loopback address.
const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[HOST] ?? (HOST || '127.0.0.1')
try {
  const response = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`)
  if (!response.ok) throw new Error(`/readyz returned ${response.status}`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
