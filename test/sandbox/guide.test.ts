/** The first part of the migration guide, executed line by line with the real kubectl against `up`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { kubectlPath } from '../cluster/programs.ts'
import { start } from './program.ts'

const guide = readFileSync(new URL('../../docs/guides/add-a-migration-to-a-deployment.md', import.meta.url), 'utf8')
const part = guide.slice(guide.indexOf('## Try it'), guide.indexOf('The rest of this page'))
const blocks = [...part.matchAll(/```(sh|yaml)\n([\s\S]*?)```/g)].map(([, language, text = '']) => ({ language, text }))
const main = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'carabiner-guide-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(kubectlPath === undefined)('the guide to migrations', () => {
  it('works as written', async () => {
    const program = join(folder, 'carabiner')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    chmodSync(program, 0o755)
    const kubeconfig = join(folder, 'config')
    const [first, ...steps] = blocks
    const upArguments = (first?.text ?? '').trim().split(' ').slice(1)
    const up = start([...upArguments, '--port', '0', '--listen-port', '0', '--kubeconfig', kubeconfig])
    await up.line(/Ctrl-C stops/)
    const env = {
      PATH: [folder, dirname(kubectlPath ?? ''), process.env['PATH']].join(delimiter),
      HOME: folder,
      KUBECONFIG: kubeconfig,
    }
    const said: string[] = []
    for (const { language, text } of steps) {
      if (language === 'yaml') {
        writeFileSync(join(folder, 'migration.yaml'), text)
        continue
      }
      for (const line of text.trim().split('\n')) {
        const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
        const mayFail = line.includes('# ends with an error')
        expect(`${line}: ${status === 0 ? 'done' : 'failed'}\n${stderr}`).toMatch(mayFail ? /: failed\n/ : /: done\n/)
        said.push(stdout)
      }
    }
    const all = said.join('')
    expect(all).toMatch(/--> pre at 0, .*: succeeded after .*\nadding a column\ndone\n/)
    expect(all).toMatch(/--> pre at 0, .*: failed after .*\n.*\nadding a column\n/)
    const images = execFileSync(
      kubectlPath ?? '',
      ['get', 'pods', '-n', 'shop', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.containers[*].image}'],
      { env, encoding: 'utf8' },
    )
    expect(new Set(images.split(' '))).toEqual(new Set(['shop/web:3']))
    up.interrupt()
    expect((await up.ended).code).toBe(0)
  }, 120_000)
})
