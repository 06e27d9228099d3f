// Paths of this service that agent runtimes open. A dial request gives their URLs.

/** Where an agent's tool session begins, over HTTP+SSE. */
export const toolSessionPath = '/api/mcp/sse'

/** Where the reports of a call attempt are posted. */
export const attemptReportsPath = (attemptId: string): string => `/api/internal/attempts/${attemptId}/reports`
