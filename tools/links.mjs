/**
 * Checks every link of the pages to a file or heading of this repository and prints the dead ones. Links to other sites are not requested: a
 * page that someone else removes must not break the checks. A link such as [`decide`](../src/decide.ts) must lead to a file that declares the name.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['docs', 'examples', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
]
const dead = pages.flatMap((page) => [
  ...linksOf(page).flatMap((link) => problemOf(page, link)),
  ...declarationsOf(page).flatMap(([name, link]) => missingDeclaration(page, name, link)),
])
for (const line of dead) console.error(line)
console.log(`${pages.length} pages, ${dead.length} dead links`)
process.exit(dead.length > 0 ? 1 : 0)

function linksOf(page) {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link))
}

function problemOf(page, link) {
  const [path, heading] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(target)) return [`${page}: there is no ${target}`]
  if (heading === undefined || headingsOf(target).has(heading)) return []
  return [`${page}: ${target} has no heading #${heading}`]
}

/** Names in links to source files. */
function declarationsOf(page) {
  return [...prose(page).matchAll(/\[`(\w+)`\]\(([^)\s]+\.ts)\)/g)].map(([, name, link]) => [name, link])
}

function missingDeclaration(page, name, link) {
  const path = join(dirname(page), link)
  if (!existsSync(path)) return []
  const declared = new RegExp(`\\b(function\\*?|class|interface|const|type) ${name}\\b`)
  return declared.test(readFileSync(path, 'utf8')) ? [] : [`${page}: ${path} does not declare ${name}`]
}

/** The anchors of a page, as GitHub derives them from headings: letters, digits and dashes. */
function headingsOf(page) {
  const texts = [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, text]) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
  return new Set(texts.map((text) => slug(text)))
}

function slug(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

function prose(page) {
  return readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
}
