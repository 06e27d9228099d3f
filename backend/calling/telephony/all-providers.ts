/**
 * Exports what other folders need from every provider, even if TELEPHONY has another one: after a change of this setting, calls
 * of the previous provider still end, and the data that it stored is still erased.
 */
export { deleteReportsOfCalls, findReportedAnalysis } from './http-runtime/attempt-reports.ts'
export { mountReportRoute as mountProviderRoutes } from './http-runtime/report-route.ts'
