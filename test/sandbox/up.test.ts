/** `up`, `sandbox`, `run`, `doctor` and `version` as built, from start to Ctrl-C. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { run, start } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-up-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the program', () => {
  it('runs every sample to completion', async () => {
    const { code, stdout } = await run([
      'up',
      '--check',
      '--port',
      '0',
      '--listen-port',
      '0',
      '--kubeconfig',
      join(folder, 'check'),
    ])
    expect(stdout).toMatch(/^deployment\/web +shop +done +as wanted$/m)
    expect(stdout).toMatch(/^rolloutpolicy\/cart +shop +done +as wanted$/m)
    expect(stdout).toMatch(/^deployitem\/logging +shop +done +succeeded$/m)
    expect(stdout).toMatch(/^\d+ done, 0 failed, 0 in progress$/m)
    expect(code).toBe(0)
  })

  it('prints next steps and ends on Ctrl-C', async () => {
    const up = start(['up', '--port', '0', '--listen-port', '0', '--kubeconfig', join(folder, 'up')])
    const said = await up.line(/Ctrl-C stops/)
    expect(said).toMatch(/carabiner is ready \(\d+\.\d s\)/)
    expect(said).toContain(`export KUBECONFIG=${join(folder, 'up')}`)
    up.interrupt()
    expect((await up.ended).code).toBe(0)
    expect(existsSync(join(folder, 'up'))).toBe(false)
  })

  it('runs the operator against a cluster, becomes leader, serves health and releases the Lease', async () => {
    const kubeconfig = join(folder, 'cluster')
    const sandbox = start(['sandbox', '--port', '0', '--kubeconfig', kubeconfig])
    await sandbox.line(/sandbox is ready/)
    const first = start(['run', '--install', '--kubeconfig', kubeconfig, '--listen-port', '0'])
    const said = await first.line(/carabiner is ready.*\/metrics/)
    const port = /127\.0\.0\.1:(\d+)\/metrics/.exec(said)?.[1]
    expect(await (await fetch(`http://127.0.0.1:${port}/readyz`)).text()).toBe('ok\n')
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain(
      'carabiner_leader{lease="default/carabiner"} 1',
    )
    const version = await run(['version', '--kubeconfig', kubeconfig, '-o', 'json'])
    expect(JSON.parse(version.stdout)).toMatchObject({
      carabiner: expect.any(String),
      cluster: expect.stringMatching(/^v1\.35/),
    })
    const atWork = await run(['doctor', '--kubeconfig', kubeconfig])
    expect(atWork.stdout).toMatch(
      /✓ operator +\S+ is leader \(Lease default\/carabiner; version \S+; surfaces rollouts\)/,
    )
    first.interrupt()
    expect((await first.ended).code).toBe(0)
    const second = start(['run', '--kubeconfig', kubeconfig, '--listen-port', '0'])
    await second.line(/carabiner is ready/)
    second.interrupt()
    await second.ended
    const doctor = await run(['doctor', '--kubeconfig', kubeconfig])
    expect(doctor.stdout).toMatch(/✓ leadership +may update the Lease/)
    expect(doctor.stdout).toMatch(/– operator +no leader for \S+ s \(Lease default\/carabiner\)/)
    // The webhook was served by the operator that has ended.
    expect(doctor.stdout).toMatch(/✗ gate +webhook, opened only by system:carabiner; .*ECONNREFUSED/)
    expect(doctor.code).toBe(1)
    sandbox.interrupt()
    expect((await sandbox.ended).code).toBe(0)
  })

  it('prints every setting and its source', async () => {
    const { stdout, code } = await run(['run', '--print-config', '--lease-name', 'x'], { CARABINER_LISTEN_PORT: '7' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^leaseName +x +flag$/m)
    expect(stdout).toMatch(/^listenPort +7 +environment$/m)
    expect(stdout).toMatch(/^requestBurst +1000 +default$/m)
  })

  it('prints help with --help', async () => {
    const { stdout } = await run([])
    expect(stdout).toMatch(/Try it:\n +up /)
    expect((await run(['cron', 'next', '--help'])).stdout).toContain('--tz')
  })
})
