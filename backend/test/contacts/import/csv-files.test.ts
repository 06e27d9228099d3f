// cspell:ignore Jürgen Müller
import { beforeAll, expect, it } from '@jest/globals'
import { getStat, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

const { world, startWorker, waitUntilSettled, uploadAndCheck, listContacts } = useImportWorld()
beforeAll(() => void startWorker())

/** Uploads and imports a file. Returns the page of its check, and the imported people by the last digit of their number. */
async function importFile(bytes: string | Uint8Array) {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, bytes)
  if (page.html.includes('/start"')) {
    await user.browser.press(page, 'Import contacts', { campaign_id: '' })
    await waitUntilSettled(user, path)
  }
  const contacts = await listContacts(user)
  const people = contacts.map((contact) => [
    contact.phone_number.replace('+1202555030', ''),
    contact.first_name,
    contact.last_name,
    contact.variables,
  ])
  return { page, people }
}

const phone = '+1202555030'
const byte = (text: string) => Buffer.from(text, 'latin1')
const utf8 = (text: string) => Buffer.from(text)

const manyUmlauts = Array.from({ length: 300 }, () => 'ü').join('')

/** Files as users upload them, and the people in them: the last digit of the number, first name, last name, and variables. */
const files: [what: string, file: string | Buffer, people: unknown[][]][] = [
  [
    'a header that ends in CR LF and rows that end in LF and have fewer cells',
    `Phone,First Name,Last Name,Note\r\n${phone}1,Al,Roe,x\r\n${phone}2,Bo\n${phone}3,Cy\r\n${phone}4,Di\n`,
    [
      ['1', 'Al', 'Roe', { Note: 'x' }],
      ['2', 'Bo', null, {}],
      ['3', 'Cy', null, {}],
      ['4', 'Di', null, {}],
    ],
  ],
  [
    'two files, one after the other, with other line ends',
    `Phone,First Name\r\n${phone}1,Al\r\n${phone}2,Bo\n${phone}3,Cy\n${phone}4,Di\r${phone}5,Ed`,
    ['Al', 'Bo', 'Cy', 'Di', 'Ed'].map((name, index) => [String(index + 1), name, null, {}]),
  ],
  [
    'line breaks of every kind in quoted cells',
    `Phone,Note\r\n${phone}1,"a\rb"\r\n${phone}2,"a\nb"\n${phone}3,"a\r\nb"\r\n`,
    ['a\rb', 'a\nb', 'a\r\nb'].map((note, index) => [String(index + 1), null, null, { Note: note }]),
  ],
  [
    'formulas and decimals that spreadsheets write around numbers',
    `Phone,First Name\n="${phone.slice(1)}1",Al\n${phone.slice(1)}2.0,Bo\n`,
    [
      ['1', 'Al', null, {}],
      ['2', 'Bo', null, {}],
    ],
  ],
  ["Excel's line sep=;", `sep=;\r\nPhone;First Name\r\n${phone}1;Ria\r\n`, [['1', 'Ria', null, {}]]],
  [
    "Excel's line sep= with a byte order mark, and another separator than the header seems to have",
    `\uFEFF"SEP=^"\nPhone^First Name^a,b,c\n${phone}1^Ria^x`,
    [['1', 'Ria', null, { 'a,b,c': 'x' }]],
  ],
  [
    'a header with commas that separate nothing',
    `Phone;Name (first, last, or company, if any, please)\n${phone}1;Ann\n`,
    [['1', null, null, { 'Name (first, last, or company, if any, please)': 'Ann' }]],
  ],
  [
    'a header and cells with another delimiter in their text, and rows that are too short',
    `Phone,First Name,Full | Nick,City\n${phone}1,Al,Al | Ally,Rome\n${phone}2,Bo,Bo | Bobby\n`,
    [
      ['1', 'Al', null, { 'Full | Nick': 'Al | Ally', City: 'Rome' }],
      ['2', 'Bo', null, { 'Full | Nick': 'Bo | Bobby' }],
    ],
  ],
  [
    'spaces before quoted cells',
    `"Phone", "First Name", "City"\n"${phone}1", "Kay", "Rome, Lazio"\n"${phone}2",\t"Lee ""L""", 6" pipe\n`,
    [
      ['1', 'Kay', null, { City: 'Rome, Lazio' }],
      ['2', 'Lee "L"', null, { City: '6" pipe' }],
    ],
  ],
  [
    'spaces before quoted cells that tabs separate, and blank cells',
    `Phone\tFirst Name\tCity\n${phone}1\t\t "Rome"\n`,
    [['1', null, null, { City: 'Rome' }]],
  ],
  [
    'texts that stand for nothing',
    `Phone,First Name,Last Name,City\n${phone}1,N/A,null,Undefined\n${phone}2,Bo,None,-\n${phone}3,Cy,–,n/a x\n`,
    [
      ['1', null, null, {}],
      ['2', 'Bo', null, {}],
      ['3', 'Cy', null, { City: 'n/a x' }],
    ],
  ],
  [
    'names whose last name comes first',
    `Phone;Name\n${phone}1;Roe, Jan\n${phone}2;van Roe ,Ann Lee\n${phone}3;Jan Roe, Jr.\n${phone}4;a, b, c\n${phone}5;Roe,\n`,
    [
      ['1', 'Jan', 'Roe', {}],
      ['2', 'Ann Lee', 'van Roe', {}],
      ['3', 'Jan', 'Roe, Jr.', {}],
      ['4', 'a,', 'b, c', {}],
      ['5', 'Roe,', null, {}],
    ],
  ],
]

it.each(files)('reads a file with %s', async (_, file, people) => {
  expect((await importFile(file)).people).toEqual(people)
})

it.each([
  [
    'one bad byte',
    [utf8(`Phone,First Name,Note\n${phone}1,Zoë,ok\n${phone}2,Jürgen,cut `), byte('\xC3\n')],
    [
      ['1', 'Zoë', null, { Note: 'ok' }],
      ['2', 'Jürgen', null, { Note: 'cut \uFFFD' }],
    ],
  ],
  [
    'two bad bytes among many characters',
    [utf8(`Phone,First Name,Note\n${phone}1,Zoë,${manyUmlauts}\n${phone}2,Jürgen,cut `), byte('\xFF\xFE\n')],
    [
      ['1', 'Zoë', null, { Note: manyUmlauts }],
      ['2', 'Jürgen', null, { Note: 'cut \uFFFD\uFFFD' }],
    ],
  ],
])(
  'reads a file with %s as UTF-8, and lists the affected row under “Imported rows to check”',
  async (_, parts, people) => {
    const { page, people: imported } = await importFile(Buffer.concat(parts))
    expect(imported).toEqual(people)
    expect(page.text).toMatch(
      /Imported rows to check .* 3 Note A character in this cell can't be read, so “\uFFFD” is saved in its place\./,
    )
    expect(page.text).not.toContain('Skipped rows')
    expect(page.text).not.toContain('Windows-1252')
  },
)

it.each([
  [
    'no valid UTF-8 characters beyond ASCII',
    byte(`Phone,First Name\n${phone}1,Al\n${phone}2,Müller\n${phone}3,Zoë\n`),
    'Müller',
  ],
  [
    'too many invalid bytes for a damaged UTF-8 file',
    Buffer.concat([
      utf8(`Phone,First Name\n${phone}1,Al\n${phone}2,Zoë`),
      byte(`\xFC\xFF\n${phone}3,\xEB\n`),
    ]),
    'ZoÃ«üÿ',
  ],
])('reads a file with %s as Windows-1252, and shows a notice', async (_, file, name) => {
  const { page, people } = await importFile(file)
  expect(people[1]).toEqual(['2', name, null, {}])
  const notice = `The file isn't in UTF-8, so it was read as Windows-1252. Check that this text is right: “${name}”.`
  expect(page.text).toContain(notice)
  expect(page.text.split('Windows-1252')).toHaveLength(2)
})

it.each(['Phone,First Name\n', 'Phone,First Name', 'sep=;\r\nPhone;First Name\r\n', 'Phone\n\n,\n'])(
  'says that a file with only a header has no rows: %j',
  async (file) => {
    const { page } = await importFile(file)
    expect(page.text).toContain('The file has no rows. Add a row for each person below the column names')
    expect(page.text).not.toContain('Fix the errors')
  },
)

it('reads texts such as “N/A” as blank in consent columns, but not in phone, country, and do-not-call columns', async () => {
  const { page, people } = await importFile(
    [
      'Phone,Country,Do not call,Consent source,Consent date',
      'N/A,,,,',
      `${phone}1,,n/a,,`,
      '(202) 555-0302,N/A,,,',
      `${phone}3,,none,N/A,-`,
      `${phone}4,,-,N/A,2026-05-01`,
    ].join('\n'),
  )
  expect(getStat(page.html)).toMatchObject({ Rows: 5, Errors: 4 })
  for (const message of [
    /2 Phone No phone number was found|2 Phone The phone number isn't valid/,
    /3 Do not call “n\/a” isn't recognized/,
    /4 Country “N\/A” isn't a known country/,
    /6 Consent date The consent source is missing/,
  ])
    expect(page.text).toMatch(message)
  expect(people).toEqual([['3', null, null, {}]])
})

it('lists “Skipped rows” and “Imported rows to check” separately', async () => {
  const { page } = await importFile(`Phone,First Name\n${phone}1,A\uFFFD\n12,B\uFFFD\n`)
  expect(page.text).toMatch(
    /Skipped rows .* 3 Phone .* 3 First Name .*Imported rows to check .* 2 First Name /,
  )
})

it('reads a CR LF line ending whose CR and LF are in different 64 KB parts of the file', async () => {
  const row = `${phone}1,Al\r\n`
  const note = (length: number) => 'x'.repeat(length)
  const start = `Phone,First Name\r\n`
  const filler = 64 * 1024 - start.length - row.length - 2
  // The last byte of the first part is the CR after the filler.
  const { page, people } = await importFile(`${start}${row}${note(filler)},\r\n${phone}2,Bo\r\n`)
  expect(getStat(page.html)).toMatchObject({ Rows: 3, Errors: 1 })
  expect(people).toEqual([
    ['1', 'Al', null, {}],
    ['2', 'Bo', null, {}],
  ])
})
