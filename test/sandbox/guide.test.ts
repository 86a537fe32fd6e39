/** The guides, executed block by block against `up`, with the real kubectl and helm. */
import { afterEach, describe, expect, it } from 'vitest'
import { helmPath, kubectlPath } from '../cluster/programs.ts'
import { Reader } from './guides.ts'

let reader: Reader
afterEach(() => reader.close())

async function read(page: string, heading?: string): Promise<Reader> {
  reader = new Reader()
  await reader.follow(`docs/guides/${page}.md`, heading)
  return reader
}

const timeoutMs = 120_000

describe.skipIf(kubectlPath === undefined)('the guide', () => {
  it(
    'to migrations works as written: a failing migration holds the rollout, and is fixed',
    async () => {
      const { said } = await read('add-a-migration-to-a-deployment', 'Try it')
      expect(said).toMatch(/--> pre at 0, .*: succeeded .* ago after .*\nadding a column\ndone\n/)
      expect(said).toMatch(/^state +Aborted$/m)
      expect(said).toMatch(/^message +aborted: hook pre: .*exit code 1$/m)
      expect(said).toMatch(/--> pre at 0, .*: failed .* ago after .*\n.*\nadding a column\n/)
      expect(said).toMatch(/^state +Complete$/m)
      const images = reader.type(
        "kubectl get pods -n shop -l app=web -o jsonpath='{.items[*].spec.containers[*].image}'",
      ).stdout
      expect(new Set(images.split(' '))).toEqual(new Set(['shop/web:3']))
    },
    timeoutMs,
  )

  it(
    'to shell-operator works as written',
    async () => {
      const { said } = await read('bring-your-shell-operator-hooks', 'Try it')
      expect(said).toContain('pods-hook.sh')
      await reader.isLogged(/Pod 'hello' added/)
    },
    timeoutMs,
  )

  it(
    'to DeploymentConfig works as written',
    async () => {
      const { said } = await read('leave-deploymentconfig', 'Try it')
      expect(said).toMatch(/--> pre at 0, revision 1: succeeded .* ago after .*\nmigrating for till-/)
    },
    timeoutMs,
  )

  it(
    'to runs works as written',
    async () => {
      const { said } = await read('follow-a-run', 'Try it')
      expect(said).toMatch(/rollouts +shop\/cart +migrate +succeeded/)
      expect(said).toMatch(/rollouts +shop\/cart +smoke-test +failed/)
      expect(said).toMatch(/^log:\n +testing the new pods$/m)
    },
    timeoutMs,
  )

  it.skipIf(helmPath === undefined)(
    'to the sandbox works as written',
    async () => {
      const { said } = await read('try-things-in-the-sandbox')
      expect(said).toContain('STATUS: deployed')
      expect(said).toMatch(/^hello from hello$/m)
    },
    timeoutMs,
  )

  it.skipIf(helmPath === undefined)(
    'to modules works as written',
    async () => {
      const { said } = await read('converge-modules', 'A first module')
      expect(said).toMatch(/^greeter\b/m)
      expect(said).toContain('/greeter/teams')
    },
    timeoutMs,
  )

  it(
    'to hooks works as written',
    async () => {
      const { said } = await read('write-a-hook')
      await reader.isLogged(/the operator has started/)
      expect(said).toMatch(/^pass +a namespace tells its team/m)
      expect(said).toContain('CreateOrUpdate')
    },
    timeoutMs,
  )
})
