import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { defineDeployer } from './deployer.ts'
import { compileDeployer } from './world.ts'

const functions = { reconcile: () => undefined, delete: () => undefined }

describe('defineDeployer', () => {
  it('sets default name, version and identity [deployers F6]', () => {
    const deployer = defineDeployer({ type: 't', ...functions })
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(deployer).toMatchObject({ name: 'generic-deployer-library', version: `v${version}` })
    const { runtime } = createSimulation(1)
    const seconds = Math.floor(runtime.clock.now() / 1000)
    expect(compileDeployer(deployer, runtime).info.identity).toBe(`generic-deployer-library-${seconds}`)
    expect(compileDeployer(deployer, runtime, { identity: 'mine' }).info.identity).toBe('mine')
  })

  it('reports all missing fields at once [deployers F6]', () => {
    expect(() => defineDeployer({ name: 'mine', type: '' } as never)).toThrow(
      'deployer mine: type, reconcile, delete missing',
    )
  })

  it('refuses invalid target selectors', () => {
    const deployer = defineDeployer({ type: 't', ...functions })
    const targetSelectors = [{ labels: [{ key: 'a', operator: 'in' as const }] }]
    expect(() => compileDeployer(deployer, createSimulation(1).runtime, { targetSelectors })).toThrow(
      'at least one value',
    )
  })

  it('refuses new hooks once the deployer runs [deployers H4]', () => {
    const deployer = defineDeployer({ type: 't', ...functions })
    compileDeployer(deployer, createSimulation(1).runtime)
    expect(() => deployer.hooks.registerHook(() => undefined, 'End')).toThrow('while the deployer runs')
  })
})
