// Paths that agent runtimes call. Dial requests contain their URLs.

/** Opens an agent's tool session over HTTP+SSE. */
export const toolSessionPath = '/api/mcp/sse'

/** Returns the path for reports of a call attempt. */
export const attemptReportsPath = (attemptId: string): string => `/api/internal/attempts/${attemptId}/reports`
