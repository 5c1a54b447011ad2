import type { Field } from './field.ts'
import type { Described } from './resource.ts'
import type { Route } from './route.ts'
import { inWords } from './schema-words.ts'

/** The API as one page to read, made from the same tables as the OpenAPI document; it loads nothing from elsewhere. */
export function docsPage(routes: readonly Route[]): string {
  const groups = Object.entries(Object.groupBy(routes, ({ resource }) => resource.plural))
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Nameplane API</title><style>${style}</style>
<header><h1>Nameplane API</h1>
<p>Machine-readable: <a href="openapi.json">openapi.json</a>. The same operations stand under
<code>/openstack/v2</code>, speaking as Designate does today.</p>
<nav>${groups.map(([plural]) => `<a href="#${plural}">${plural}</a>`).join(' ')}</nav></header>
<main>${groups.map(([plural, group]) => section(plural, group!)).join('')}</main></html>`
}

function section(plural: string, routes: readonly Route[]): string {
  const operations = routes.map(
    ({ method, path, summary, status }) =>
      `<tr><td><b>${method}</b> <code>${html(path)}</code></td><td>${html(summary)}</td><td>${status}</td></tr>`,
  )
  const things = [...new Set(routes.map(({ resource }) => resource))]
  return `<section id="${plural}"><h2>${plural}</h2>
<table><tr><th>operation</th><th>what it does</th><th>answers</th></tr>${operations.join('')}</table>
${things.map(thing).join('')}</section>`
}

function thing({ purpose, fields }: Described): string {
  const rows = Object.entries(fields).map(([name, field]) => fieldRow(name, field))
  return `<p>${html(purpose)}</p>
<table><tr><th>field</th><th>holds</th><th>set by</th><th>filter</th><th>sort</th></tr>${rows.join('')}</table>`
}

function fieldRow(name: string, field: Field<unknown>): string {
  const setBy = { never: 'the service', create: 'you, on create', always: 'you' }[field.write]
  const mark = (on: boolean) => (on ? '✓' : '')
  return `<tr><td><code>${name}</code>${field.write !== 'never' && field.required ? ' (required)' : ''}</td>
<td>${html(inWords(field.schema))}</td><td>${setBy}</td><td>${mark(field.filter)}</td><td>${mark(field.sort)}</td></tr>`
}

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c2430}
table{border-collapse:collapse;width:100%;margin:1rem 0}td,th{border:1px solid #d5dbe3;padding:.35rem .6rem;text-align:left;vertical-align:top}
th{background:#f3f6f9}code{font-size:.9em;word-break:break-word}nav a{margin-right:1rem}
@media(prefers-color-scheme:dark){body{background:#14181d;color:#dfe6ee}td,th{border-color:#37424f}th{background:#1f262e}a{color:#8ab8ff}}`
