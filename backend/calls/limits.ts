/** Limits in seconds on the line. After the call limit a line gets a moment to hand over what was said. */
export const callLimits = { ringSeconds: 45, callSeconds: 30 * 60, handOverSeconds: 5 }
