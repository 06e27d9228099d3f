/**
 * Exports what the other folders need of every provider, whether it's chosen or not: after a change of TELEPHONY, calls of the
 * provider before it still end, and what it stored is still erased.
 */
export { deleteReportsOfCalls, findReportedAnalysis } from './http-runtime/attempt-reports.ts'
export { mountReportRoute as mountProviderRoutes } from './http-runtime/report-route.ts'
