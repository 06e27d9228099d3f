/** An error that is shown as a page: what happened, and what to do next. */
export class PageError extends Error {
  override name = 'PageError'
  readonly status: number
  readonly title: string
  readonly advice: string

  constructor(status: number, text: { title: string; message: string; advice: string }) {
    super(text.message)
    this.status = status
    this.title = text.title
    this.advice = text.advice
  }
}

/** Returns the error for an authorization that was completed, expired, or started in another browser: we can't know which. */
export const authorizationExpiredError = () =>
  new PageError(410, {
    title: 'This page is no longer valid',
    message:
      'The request was already completed, expired after 15 minutes, or was started in another browser.',
    advice: 'Go back to the app you want to connect and start again.',
  })

export const authorizationTooLongError = () =>
  new PageError(414, {
    title: 'Request too long',
    message: 'The app that sent you here sent a request that is too long. Nothing was connected.',
    advice: "Ask the app's administrator to send at most 4,096 characters, including the state parameter.",
  })

export const tooManyAuthorizationsError = () =>
  new PageError(429, {
    title: 'Too many requests',
    message: 'There were too many requests to connect an app from your network. Nothing was connected.',
    advice: 'Wait a minute, then reload this page.',
  })

export const tooManyAuthorizationsOfAllError = () =>
  new PageError(503, {
    title: 'Outdial is busy',
    message: 'Too many people are connecting apps. Nothing was connected.',
    advice: 'Wait a minute, then reload this page.',
  })

export const outdatedFormError = () =>
  new PageError(403, {
    title: 'This form is out of date',
    message: "It wasn't submitted, to keep your account safe.",
    advice: 'Go back, reload the page, and try again. Your browser must accept cookies from this site.',
  })

/** Returns the error for a sign-in session that ended while a form was being sent. */
export const signedOutError = () =>
  new PageError(403, {
    title: "You're signed out",
    message: 'Your session ended before the form arrived, so nothing was saved.',
    advice: 'Sign in, then try again.',
  })

export const tooManyAttemptsError = (limit: AttemptLimitName) =>
  new PageError(429, { title: 'Too many attempts', ...attemptTexts[limit] })

/** The limit that a sign-in attempt exceeds. */
export type AttemptLimitName = keyof typeof attemptTexts

const attemptTexts = {
  'account-in-network': {
    message: 'There were too many sign-in attempts with this email.',
    advice: 'Wait five minutes, then go back and try again.',
  },
  network: {
    message: 'There were too many sign-in attempts from your network.',
    advice: 'Wait five minutes, then go back and try again.',
  },
  account: {
    message: 'There were too many sign-in attempts with this email from different places.',
    advice: 'Wait an hour, or sign in from a browser that you used before.',
  },
}

export const internalServiceError = () =>
  new PageError(500, {
    title: 'Something went wrong',
    message: "The page couldn't be loaded. Nothing was connected.",
    advice: 'Try again in a minute.',
  })

export const serviceUnavailableError = () =>
  new PageError(503, {
    title: 'Outdial is temporarily unavailable',
    message: "The page couldn't be loaded. Nothing was connected.",
    advice: 'Reload the page in a minute.',
  })
