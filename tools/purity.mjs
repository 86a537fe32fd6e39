/**
 * Clocks, timers, random numbers and Node globals are used only in the rooms at the edge; every other room receives them through the runtime.
 * Imports of `node:*` are checked by the layer rules. Comments and strings do not count.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const edges = [
  'src/runtime/real/',
  'src/runtime/undici/',
  'src/runtime/memory/',
  'src/kube/network/',
  'src/operator/',
  'src/cli/',
]
const forbidden = [
  [/\bDate\.now\b/, 'Date.now', 'runtime.clock.now()'],
  [/\bnew Date\(\s*\)/, 'new Date()', 'new Date(runtime.clock.now())'],
  [/(?<!\bnew )(?<![.\w])Date\(/, 'Date()', 'runtime.clock.now()'],
  [/\bperformance\.now\b/, 'performance.now', 'runtime.clock.monotonic()'],
  [/(?<![.\w])(?:globalThis\.)?setTimeout\b/, 'setTimeout', 'runtime.clock.after()'],
  [/(?<![.\w])(?:globalThis\.)?setInterval\b/, 'setInterval', 'runtime.clock.after()'],
  [/\bAbortSignal\.timeout\b/, 'AbortSignal.timeout', 'runtime.clock.after()'],
  [/\bMath\.random\b/, 'Math.random', 'runtime.random.next()'],
  [/\bcrypto\.(?:randomUUID|getRandomValues)\b/, 'crypto randomness', 'runtime.random'],
  [/(?<![.\w'-])process\.(?:env|cwd|pid|exit|stdout|stderr|argv|hrtime|nextTick|on)\b/, 'process', 'the runtime'],
  [/(?<![.\w])Buffer\b/, 'Buffer', 'Uint8Array and TextEncoder'],
  [/(?<![.\w])fetch\(/, 'fetch', 'runtime.http.request()'],
]

const findings = []
for (const entry of readdirSync('src', { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (!entry.isFile() || !path.endsWith('.ts') || path.endsWith('.test.ts') || path.includes('.generated.')) continue
  if (edges.some((edge) => path.startsWith(edge))) continue
  const lines = withoutCommentsAndStrings(readFileSync(path, 'utf8')).split('\n')
  lines.forEach((line, index) => {
    for (const [pattern, name, instead] of forbidden) {
      if (pattern.test(line)) findings.push(`${path}:${index + 1}: ${name} is not allowed here; use ${instead}`)
    }
  })
}
if (findings.length > 0) {
  console.error(findings.join('\n'))
  process.exit(1)
}

/** Blanks comments and quoted text, keeping line numbers. Template literals stay, since they hold code. */
function withoutCommentsAndStrings(text) {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g
  return text.replace(token, (found) => found.replace(/[^\n]/g, ' '))
}
