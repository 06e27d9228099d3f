/** A text as documents keep it: no signs that are none, no blanks at the ends of lines, one blank line at a time. */
export const normalizeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|\u2028/g, '\n')
    .replace(/\f|\v|\u2029/g, '\n\n')
    .replace(/[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\uFEFF]/g, '')
    // Every run of blanks matches: one that looks for the line's end behind it would take the square of its length.
    .replace(/[^\S\n]+\n?/g, (run) => (run.endsWith('\n') ? '\n' : run))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
