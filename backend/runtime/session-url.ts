/** The address of an agent's session, for a call or without one, as service.md has it; the secret goes in a header. */
export function toolSessionUrl(baseUrl: string, call: { widgetId: string; attemptId?: string }): URL {
  const url = new URL(`${baseUrl}/api/mcp/sse`)
  url.searchParams.set('widget_id', call.widgetId)
  if (call.attemptId !== undefined) url.searchParams.set('call_id', call.attemptId)
  return url
}
