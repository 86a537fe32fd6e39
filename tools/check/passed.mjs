/** Which checks have passed on which inputs, so that they are not repeated on the same ones. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A text that changes with the content of any of the files and folders, and with the version of Node. */
export function fingerprinter() {
  const known = new Map()
  const of = (path) => {
    if (!known.has(path)) known.set(path, hashOf(path))
    return known.get(path)
  }
  return (paths) => `${process.version} ${sha256(paths.map((path) => `${path} ${of(path)}`).join('\n'))}`
}

/** Names of checks and the fingerprints they passed on. */
export function passedChecks(path) {
  const passed = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  return {
    has: (name, fingerprint) => passed[name] === fingerprint,
    add(name, fingerprint) {
      passed[name] = fingerprint
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, JSON.stringify(passed))
    },
  }
}

function hashOf(path) {
  if (!existsSync(path)) return 'missing'
  if (!statSync(path).isDirectory()) return sha256(readFileSync(path))
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('node_modules'))
  return sha256(
    entries
      .sort()
      .map((file) => `${file} ${sha256(readFileSync(file))}`)
      .join('\n'),
  )
}

function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}
