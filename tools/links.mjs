/**
 * Checks every link of the pages to a file or heading of this repository and prints the dead ones. Links to other sites are not requested: a
 * page that someone else removes must not break the checks.
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
const dead = pages.flatMap((page) => linksOf(page).flatMap((link) => problemOf(page, link)))
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
