// Paths that agent runtimes call. Dial requests contain their URLs.

/** The paths of an agent's tool session, by MCP transport. */
export const toolSessionPaths = { sse: '/api/mcp/sse', streamable: '/api/mcp/' }

/** Returns the path for reports of a call attempt. */
export const attemptReportsPath = (attemptId: string): string => `/api/internal/attempts/${attemptId}/reports`
