/**
 * Functions have up to 70 lines, a complexity of up to 20 and at most 4 parameters. Callbacks of test files (`describe`, `it`) may be longer: they
 * are lists. oxlint measures; a function is known by its file and name, so that the list does not change with its lines.
 */
import { spawnSync } from 'node:child_process'

const rules = { 'max-lines-per-function': 70, complexity: 20, 'max-params': 4 }

export function findings() {
  const args = ['-c', 'tools/rules/sizes.oxlintrc.json', '--format', 'json', 'src', 'test', 'bench', 'tools']
  const { stdout, stderr } = spawnSync('node_modules/.bin/oxlint', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (!stdout.startsWith('{')) throw new Error(`oxlint: ${stdout}${stderr}`)
  return JSON.parse(stdout).diagnostics.flatMap(({ code, message, filename, labels }) => {
    const rule = Object.keys(rules).find((name) => code.includes(name))
    if (rule === undefined) throw new Error(`${filename}: ${message}`)
    if (rule === 'max-lines-per-function' && /\.test\.(?:ts|mjs)$/.test(filename)) return []
    const name = /[`'](.+?)[`']/.exec(message)?.[1] ?? 'function without a name'
    return [{ key: `${rule} ${filename} ${name}`, line: `${filename}:${labels[0].span.line}: ${message}` }]
  })
}
