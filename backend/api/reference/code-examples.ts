// cspell:ignore urlopen
/** A request that an example sends. */
export interface ExampleRequest {
  method: string
  url: string
  /** Undefined for a request without a body. */
  body: unknown
}

/** Returns code that sends a request, in the languages that the API reference shows. The code needs no libraries. */
export const codeExamples = (request: ExampleRequest): { language: string; code: string }[] => [
  { language: 'curl', code: toCurl(request) },
  { language: 'JavaScript', code: toJavaScript(request) },
  { language: 'Python', code: toPython(request) },
]

function toCurl({ method, url, body }: ExampleRequest): string {
  const json = body === undefined ? undefined : JSON.stringify(body, null, 2)
  return [
    `curl ${quote(url)}`,
    ...(method === 'GET' || (method === 'POST' && json !== undefined) ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $API_KEY"',
    ...(json === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(json)}`]),
  ].join(' \\\n  ')
}

/** Quotes a text for a shell, so that none of its characters is special. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function toJavaScript({ method, url, body }: ExampleRequest): string {
  const json = body === undefined ? undefined : indent(JSON.stringify(body, null, 2), '  ')
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    '  headers: {',
    '    Authorization: `Bearer ${process.env.API_KEY}`,',
    ...(json === undefined ? [] : ["    'Content-Type': 'application/json',"]),
    '  },',
    ...(json === undefined ? [] : [`  body: JSON.stringify(${json}),`]),
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    ...(method === 'DELETE' ? [] : ['console.log(await response.json())']),
  ].join('\n')
}

function toPython({ method, url, body }: ExampleRequest): string {
  const literal = body === undefined ? undefined : indent(toPythonLiteral(body), '    ')
  return [
    'import json, os',
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(url)},`,
    `    method=${JSON.stringify(method)},`,
    '    headers={',
    '        "Authorization": f"Bearer {os.environ[\'API_KEY\']}",',
    ...(literal === undefined ? [] : ['        "Content-Type": "application/json",']),
    '    },',
    ...(literal === undefined ? [] : [`    data=json.dumps(${literal}).encode(),`]),
    ')',
    'with urlopen(request, timeout=30) as response:',
    method === 'DELETE' ? '    print(response.status)' : '    print(json.load(response))',
  ].join('\n')
}

/** Writes a JSON value as Python code. Strings and numbers are the same as in JSON, but the names of constants differ. */
function toPythonLiteral(value: unknown, indentation = ''): string {
  const inner = `${indentation}    `
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const lines = Array.isArray(value)
    ? value.map((item) => `${inner}${toPythonLiteral(item, inner)},`)
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${toPythonLiteral(item, inner)},`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return lines.length === 0 ? `${open}${close}` : [open, ...lines, `${indentation}${close}`].join('\n')
}

/** Indents all lines but the first. */
const indent = (text: string, indentation: string): string => text.replaceAll('\n', `\n${indentation}`)
