/** The files of this repository that people write: every rule over texts and syntax trees reads these and no others. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const readable = /\.(?:ts|mjs|cjs|md|ya?ml|json|sh|py|tpl|txt|svg)$|\/run$/
/** Generated files, recorded answers of other programs, and texts whose author is someone else. */
const skipped =
  /\.generated\.|node_modules|package-lock\.json|(?:^|\/)go\.(?:mod|sum)$|^tools\/words\/(?:markers|quotations)\.|^tools\/lists\//

/** Paths of all readable files in the given files and folders, sorted. */
export function filesIn(paths, pattern = readable) {
  return paths
    .flatMap((path) => (statSync(path).isDirectory() ? filesInFolder(path) : [path]))
    .filter((path) => pattern.test(path) && !skipped.test(path))
    .sort()
}

function filesInFolder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
