/** Completion scripts printed by the program, run in their shells. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Prints the completions of the last word in "$@". */
const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _carabiner; printf "%s\\n" "\${COMPREPLY[@]}"`
const shells = {
  bash: (script: string, words: readonly string[]) => ['-c', `source ${script}; ${ask}`, 'bash', ...words],
  // The options that bashcompinit sets for bash functions.
  zsh: (script: string, words: readonly string[]) => [
    ...['-f', '-c', `autoload -U compinit && compinit -u -D; source ${script}; f() { emulate -L sh; ${ask}; }; f "$@"`],
    ...['zsh', ...words],
  ],
  fish: (script: string, words: readonly string[]) => [
    '--no-config',
    '-c',
    `source ${script}; complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''`,
  ],
} as const

describe.each(Object.entries(shells))('completion for %s', (shell, args) => {
  const script = join(folder, shell)
  const isHere = spawnSync(shell, ['--version']).status === 0
  beforeAll(async () => writeFileSync(script, (await run(['completion', shell])).stdout))

  it('contains the commands', async () => {
    expect((await run(['completion', shell])).stdout).toContain('node-mode')
  })

  it.runIf(isHere).each([
    ['', ['up', 'doctor', 'rollout']],
    ['rollout ap', ['approve']],
    ['rollout status web --wa', ['--wait']],
    ['rollout status -n shop --wa', ['--wait']],
    ['hook run --e', ['--event']],
    ['up --node-mode p', ['process']],
    ['doctor -o j', ['json']],
  ])(`completes "carabiner %s"${isHere ? '' : ` (skipped: there is no ${shell} here)`}`, (line, answers) => {
    const { stdout, stderr } = spawnSync(shell, args(script, ['carabiner', ...line.split(' ')]), { encoding: 'utf8' })
    expect(stderr).toBe('')
    // zsh itself filters by the typed prefix.
    const typed = shell === 'zsh' ? (line.split(' ').at(-1) ?? '') : ''
    const said = stdout
      .trim()
      .split('\n')
      .filter((word) => word.startsWith(typed))
    expect(said).toEqual(line === '' ? expect.arrayContaining(answers) : answers)
  })
})
