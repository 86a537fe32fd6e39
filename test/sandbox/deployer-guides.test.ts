/** The guides about deployers, executed block by block, and the example they use. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubectlPath } from '../cluster/programs.ts'
import { type Running, start } from './program.ts'

const main = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))
const example = new URL('../../examples/10-deployer/', import.meta.url)
const exitCode = /# ends with (\d)/

let folder = ''
let background: Running[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carabiner-guide-'))
  background = []
  writeFileSync(join(folder, 'carabiner'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 })
})
afterEach(async () => {
  for (const program of background.toReversed()) {
    program.interrupt()
    await program.ended
  }
  rmSync(folder, { recursive: true, force: true })
})

interface Block {
  readonly language: string
  /** The name of a file, or `background`. */
  readonly note: string
  readonly text: string
}

function blocksOf(guide: string): readonly Block[] {
  const page = readFileSync(new URL(`../../docs/guides/${guide}.md`, import.meta.url), 'utf8')
  return [...page.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, language = '', note = '', text = '']) => ({
    language,
    note,
    text,
  }))
}

const environment = () => ({
  PATH: [folder, dirname(kubectlPath ?? ''), process.env['PATH']].join(delimiter),
  HOME: folder,
  KUBECONFIG: join(folder, 'kubeconfig'),
})

/** Starts a background program and waits until it is ready. */
async function startInBackground(line: string): Promise<void> {
  const [, ...words] = line.split(' ')
  const place = ['--kubeconfig', join(folder, 'kubeconfig')]
  const ports: Readonly<Record<string, readonly string[]>> = {
    up: ['--port', '0', '--listen-port', '0'],
    sandbox: ['--port', '0'],
    run: ['--listen-port', '0'],
  }
  const program = start([...words, ...(ports[words[0] ?? ''] ?? []), ...place], {}, folder)
  background.push(program)
  await program.line(/Ctrl-C|sandbox is ready|is ready:/)
}

function shell(line: string): SpawnSyncReturns<string> {
  const ran = spawnSync('bash', ['-c', line], { cwd: folder, env: environment(), encoding: 'utf8', timeout: 60_000 })
  const wanted = Number(exitCode.exec(line)?.[1] ?? 0)
  expect(`${line}: ${ran.status}\n${ran.stderr}`).toContain(`${line}: ${wanted}\n`)
  return ran
}

/** Executes a guide and returns the output. */
async function runGuide(guide: string): Promise<string> {
  const said: string[] = []
  for (const { language, note, text } of blocksOf(guide)) {
    if (language === 'sh') {
      for (const line of text.trim().split('\n')) {
        if (note === 'background') await startInBackground(line)
        else said.push(shell(line).stdout)
      }
    } else {
      mkdirSync(dirname(join(folder, note)), { recursive: true })
      writeFileSync(join(folder, note), text)
    }
  }
  return said.join('')
}

describe.skipIf(kubectlPath === undefined)('the guides to deployers', () => {
  it('write-a-deployer works as written', async () => {
    const said = await runGuide('write-a-deployer')
    expect(said.match(/ ok /g)).toHaveLength(2 + 4)
    expect(said).not.toContain('FAILED')
    expect(said).toMatch(/^phase +Succeeded$/m)
    expect(said).toContain('good morning')
    expect(said).toMatch(/Progress +wrote ConfigMap hello/)
  }, 120_000)

  it('hook-into-a-deployer works as written', async () => {
    const said = await runGuide('hook-into-a-deployer')
    expect(said).toMatch(/^a frozen item waits +ok +5 min/m)
    expect(said).toMatch(/^phase +Init$/m)
    expect(said).toMatch(/^phase +Succeeded$/m)
    expect(said).toMatch(/✓ mock\.deployer.*: the type matches and the item has no target/)
  }, 120_000)

  it('show the deployer of the example in less than 30 lines', () => {
    const text = (name: string) => readFileSync(new URL(name, example), 'utf8')
    const shown = new Map(blocksOf('write-a-deployer').map(({ note, text: content }) => [note, content]))
    expect(shown.get('greeting/greeting.mjs')).toBe(text('greeting.mjs'))
    expect(shown.get('greeting/greeting.case.yaml')).toBe(text('greeting.case.yaml'))
    expect(text('greeting.mjs').trim().split('\n').length).toBeLessThan(30)
  })
})
