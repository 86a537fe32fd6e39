/**
 * `npm run replay -- SUITE NUMBER` replays one number of a random suite; `npm run replay -- FILE SEED [PATH]` replays a counterexample of
 * fast-check. What follows is passed to vitest. Failing tests print the line to type.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { propertyFiles, suites } from './replay/suites.mjs'

const [suite = '', number = '', ...rest] = process.argv.slice(2)
const file = propertyFiles[suite] ?? suite
if (Object.hasOwn(suites, suite) && /^\d+$/.test(number)) replaySuite(suites[suite])
else if (existsSync(file) && /^-?\d+$/.test(number)) replayProperty()
else {
  const names = [...Object.keys(suites), ...Object.keys(propertyFiles)].join(', ')
  console.error(`usage: npm run replay -- SUITE NUMBER | FILE SEED [PATH]\nsuites: ${names}`)
  process.exit(2)
}

function replaySuite({ files, titles }) {
  const only = titles === undefined ? [] : ['-t', titles]
  vitest({ CARABINER_REPLAY: `${suite} ${number}` }, files, [...only, ...rest])
}

function replayProperty() {
  const [path] = rest.filter((word) => /^\d+(?::\d+)*$/.test(word))
  // A title stands as it is printed; vitest reads a pattern.
  const others = rest
    .filter((word) => word !== path)
    .map((word, index, words) => (words[index - 1] === '-t' ? word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : word))
  vitest({ CARABINER_REPLAY_PROPERTY: `${number} ${path ?? ''}` }, [file], others)
}

function vitest(env, files, args) {
  const projects = [...new Set(files.map(projectOf))].flatMap((name) => ['--project', name])
  const { status } = spawnSync('node_modules/.bin/vitest', ['run', ...projects, ...files, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  process.exit(status ?? 1)
}

function projectOf(file) {
  if (file.startsWith('test/long/')) return 'long'
  return file.startsWith('test/') ? 'sandbox' : 'unit'
}
