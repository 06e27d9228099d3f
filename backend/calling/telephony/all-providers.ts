/**
 * Exports what other folders need from each provider, whichever one the TELEPHONY setting selects. After the setting changes,
 * calls that the previous provider placed can still end, and its stored data can still be erased.
 */
export { deleteReportsOfCalls, findReportedAnalysis } from './http-runtime/attempt-reports.ts'
export { mountReportRoute as mountProviderRoutes } from './http-runtime/report-route.ts'
