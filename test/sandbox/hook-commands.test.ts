/** `hook list`, `run`, `test` and `new` as built, with real bash. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { run, start } from './program.ts'

const example = fileURLToPath(new URL('../../examples/09-script-hooks', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'carabiner-hooks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string, mode = 0o644): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const cellar = write('cellar.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: cellar, labels: {team: wine}}\n')

describe('hook new', () => {
  it.each(['bash', 'python', 'ts'])('writes a hook in %s that passes its own test', async (language) => {
    const hooksDir = join(folder, language)
    const made = await run(['hook', 'new', 'greet', '--lang', language, '--hooks-dir', hooksDir])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const tested = await run(['hook', 'test', hooksDir])
    expect(tested.stdout).toMatch(/^pass {2}greet greets ConfigMaps with its label .*2 runs/)
    expect(tested.stdout).toContain('1 passed, 0 failed\n')
    expect(tested.code).toBe(0)
  })

  it('overwrites nothing', async () => {
    const hooksDir = join(folder, 'twice')
    await run(['hook', 'new', 'greet', '--hooks-dir', hooksDir])
    expect(statSync(join(hooksDir, 'greet.sh')).mode & 0o777).toBe(0o755)
    rmSync(join(hooksDir, 'greet.sh'))
    const again = await run(['hook', 'new', 'greet', '--hooks-dir', hooksDir])
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('greet.hooktest.yaml already exists')
    expect(() => statSync(join(hooksDir, 'greet.sh'))).toThrow('ENOENT')
  })
})

describe('hook list', () => {
  it('shows what hooks of a folder bind to', async () => {
    expect(await run(['hook', 'list', join(example, 'hooks')])).toEqual({
      code: 0,
      stdout:
        'HOOK      TYPE         BINDING      ON                         QUEUE\n' +
        'team.sh   kubernetes   namespaces   Namespace Added|Modified   main\n',
      stderr: '',
    })
  })

  it('lists valid hooks and reports invalid ones', async () => {
    const hooks = mkdtempSync(join(folder, 'bad-'))
    writeFileSync(join(hooks, 'good.sh'), '#!/bin/sh\necho \'{"configVersion":"v1","onStartup":1}\'\n', { mode: 0o755 })
    writeFileSync(join(hooks, 'typo.sh'), '#!/bin/sh\necho \'{"configVersion":"v1","onStartpu":1}\'\n', { mode: 0o755 })
    const listed = await run(['hook', 'list', hooks])
    expect(listed.code).toBe(1)
    expect(listed.stdout).toMatch(/^good\.sh +onStartup +onStartup +order 1 +main$/m)
    expect(listed.stderr).toContain('1 of 2 hooks are invalid:\n  typo.sh: onStartpu: is not known (did you mean')
    const data = await run(['hook', 'list', hooks, '-o', 'json'])
    const problems = [expect.stringContaining('onStartpu: is not known')]
    expect(JSON.parse(data.stdout)).toMatchObject([{ name: 'good.sh' }, { name: 'typo.sh', problems }])
  })
})

describe('hook run', () => {
  const hooksDir = ['--hooks-dir', join(example, 'hooks')]

  it('shows what a hook would do', async () => {
    const ran = await run(['hook', 'run', 'team', ...hooksDir, '--event', 'added', '--object', cellar])
    expect(ran.stdout.replace(/\d+ ms/, 'N ms')).toBe(`| namespaces with a team: 1
team.sh succeeded after N ms

1 patch, not applied (use --apply):
  CreateOrUpdate ConfigMap cellar/team
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: team
      namespace: cellar
    data:
      team: wine

1 metric:
  set team_namespaces{team="wine"} 1  in group teams
`)
    expect(ran.code).toBe(0)
  })

  it('applies the patches on request', async () => {
    const kubeconfig = join(folder, 'kubeconfig')
    const sandbox = start(['sandbox', '--port', '0', '--kubeconfig', kubeconfig])
    await sandbox.line(/sandbox is ready/)
    const shop = write('shop.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: {team: tea}}\n')
    const args = [
      'hook',
      'run',
      'team.sh',
      ...hooksDir,
      '--synchronization',
      '--objects',
      shop,
      '--apply',
      '--kubeconfig',
      kubeconfig,
    ]
    const ran = await run([...args, '-o', 'json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ succeeded: true, applied: { problems: [] } })
    const missing = await run([
      'hook',
      'run',
      'team',
      ...hooksDir,
      '--event',
      'added',
      '--object',
      cellar,
      '--apply',
      '--kubeconfig',
      kubeconfig,
    ])
    expect(missing.stdout).toContain('not applied KUBERNETES_PATCH_PATH[0]: CreateOrUpdate ConfigMap cellar/team: ')
    expect(missing.code).toBe(1)
    sandbox.interrupt()
    await sandbox.ended
  })

  it('fails when the hook fails', async () => {
    const hooks = mkdtempSync(join(folder, 'fail-'))
    const script =
      '#!/bin/sh\n[ "$1" = --config ] && echo \'{"configVersion":"v1","onStartup":1}\' && exit\necho no >&2; exit 3\n'
    writeFileSync(join(hooks, 'fail.sh'), script, { mode: 0o755 })
    const ran = await run(['hook', 'run', 'fail', '--hooks-dir', hooks, '--startup'])
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/^\| no\nfail\.sh failed after \d+ ms: exited with code 3: no\n/)
  })
})

describe('hook test', () => {
  it('runs the example', async () => {
    const tested = await run(['hook', 'test', example])
    expect(tested.stdout).toMatch(/^pass {2}a namespace tells its team .*3 runs.*\n1 passed, 0 failed\n$/)
    expect(tested.code).toBe(0)
  })

  it('runs the hook and the case of the guide', async () => {
    const guide = readFileSync(new URL('../../docs/guides/write-a-hook.md', import.meta.url), 'utf8')
    const block = (language: string, word: string) =>
      Array.from(
        guide.matchAll(new RegExp(`\`\`\`${language}[^\\n]*\\n([\\s\\S]*?)\`\`\``, 'g')),
        ([, code]) => code ?? '',
      ).find((code) => code.includes(word)) ?? ''
    const hooks = mkdtempSync(join(folder, 'guide-'))
    writeFileSync(join(hooks, 'team.sh'), block('bash', 'name: namespaces'), { mode: 0o755 })
    writeFileSync(join(hooks, 'team.hooktest.yaml'), block('yaml', 'a namespace tells its team'))
    const tested = await run(['hook', 'test', hooks])
    expect(tested.stdout).toMatch(/^pass {2}a namespace tells its team .*2 runs.*\n1 passed, 0 failed\n$/)
  })

  it('runs a schedule and retries in virtual time and shows differences', async () => {
    const hooks = mkdtempSync(join(folder, 'test-'))
    const config = { configVersion: 'v1', schedule: [{ name: 'hourly', crontab: '0 * * * *' }] }
    const script = `#!/bin/sh\n[ "$1" = --config ] && echo '${JSON.stringify(config)}' && exit\nmkdir '${hooks}/tried' 2>/dev/null && exit 4\necho done\n`
    writeFileSync(join(hooks, 'hour.sh'), script, { mode: 0o755 })
    const test = (exit: number) => `
name: by the clock
steps:
- expect: {runs: []}
- wait: 1h
  expect: {runs: [{binding: hourly, type: Schedule, exit: ${exit}}]}
- wait: 3s
  expect: {runs: [{binding: hourly}], logs: [done]}
- wait: 1h
  expect: {runs: [{hook: hour.sh, count: 1}]}
`
    writeFileSync(join(hooks, 'hour.hooktest.yaml'), test(4))
    const passed = await run(['hook', 'test', hooks])
    expect(passed.stdout).toMatch(/^pass {2}by the clock .*3 runs.*\n1 passed, 0 failed\n$/)
    rmSync(join(hooks, 'tried'), { recursive: true })
    writeFileSync(join(hooks, 'hour.hooktest.yaml'), test(0))
    const report = join(folder, 'junit.xml')
    const failed = await run(['hook', 'test', hooks, '--junit', report])
    expect(failed.code).toBe(1)
    expect(failed.stdout).toContain(`  step 2, wait 3600 s: runs
        - binding: hourly
          type: Schedule
      -   exit: 0
      +   exit: 4
      hour.sh: exited with code 4
0 passed, 1 failed
`)
    expect(readFileSync(report, 'utf8')).toMatch(
      /<testsuites name="hooks" tests="1" failures="1"[\s\S]*<failure message="step 2, wait 3600 s: runs">/,
    )
  })

  it('reports what is wrong with a case', async () => {
    const path = write('typo.hooktest.yaml', 'steps:\n- exepct: {runs: []}\n')
    const { code, stderr } = await run(['hook', 'test', path])
    expect(stderr).toContain('typo.hooktest.yaml:\n  steps[0].exepct: is not known (did you mean expect?)')
    expect(code).toBe(1)
  })
})
