/** A full disk below the files of runs: hooks fail with the reason in the log, and run as soon as there is space. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keeping, startProgram } from '../cluster/script-operator.ts'
import { openTarget, type Target } from '../cluster/target.ts'

/** Commands that create a private mount namespace; the first needs no privileges where user namespaces are allowed. */
const ways = [
  ['unshare', '-rm'],
  ['unshare', '-m'],
]
const mount = 'mkdir -p "$DISK" && mount -t tmpfs -o size=64k none "$DISK" && exec "$@"'
const through = ways.find(([program = '', ...words]) => {
  const tried = spawnSync(program, [...words, 'sh', '-c', mount, 'sh', 'true'], {
    env: { ...process.env, DISK: '/mnt' },
  })
  return tried.status === 0
})

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterAll(() => target.stop())

const title = '[addons R7] hooks wait for room on a full disk, and the log says so'

it.skipIf(through === undefined)(
  through === undefined ? `${title} (skipped: this user may not mount)` : title,
  async () => {
    const scripts = {
      // Removes its own context first: the space it frees would be used by the next context.
      'a.sh': keeping('{"onStartup": 1}', ': > "$BINDING_CONTEXT_PATH"; cat /dev/zero > "$DISK/ballast"; exit 0'),
      'b.sh': keeping('{"configVersion": "v1", "schedule": [{"crontab": "* * * * * *"}]}'),
    }
    let disk = ''
    const operator = await startProgram(scripts, ({ root, hooks }) => {
      disk = `${root}/disk`
      return {
        through: [...(through ?? []), 'sh', '-c', mount, 'sh'],
        env: { DISK: disk },
        args: [
          ...['run', '--hooks-dir', hooks, '--tmp-dir', `${disk}/runs`, '--kubeconfig', target.kubeconfig],
          ...['--listen-port', '0', '--leader-election', 'false', '--log-format', 'text'],
        ],
      }
    })
    try {
      const failure = () => operator.outputLines.find((line) => line.includes('hook failed'))
      await operator.until('a failure', () => failure() !== undefined)
      expect(failure()).toMatch(/hook=b\.sh.*no space left on the device/)
      expect(operator.contexts('a.sh')).toHaveLength(1)
      expect(operator.contexts('b.sh')).toEqual([])
      // The disk is mounted for the operator only, so it is accessed through the operator.
      rmSync(`/proc/${operator.pid}/root${disk}/ballast`)
      await operator.until('the hook that waited', () => operator.contexts('b.sh').length > 0)
    } finally {
      await operator.stop()
    }
  },
)
