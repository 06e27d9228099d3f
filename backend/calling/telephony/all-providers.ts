/**
 * What the other folders need of all providers, whether they're chosen or not: after a change of TELEPHONY, calls of the
 * provider before it still end, and what it stored is still erased.
 */
export { deleteReportsOfCalls, findReportedAnalysis } from './http-runtime/attempt-reports.ts'
export { mountReportRoute as mountProviderRoutes } from './http-runtime/report-route.ts'
