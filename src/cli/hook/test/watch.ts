/** `carabiner hook test --watch`: runs the cases that a change concerns, until it is interrupted. */
import { dirname, relative, resolve } from 'node:path'
import { FolderChanges, isHookName, stateOf } from '../../../addons/scripts/index.ts'
import type { CliContext } from '../../context.ts'
import type { TestCase } from './case.ts'
import { messageOf } from './run-case.ts'

/** `path`: the file or folder of the cases. */
interface Place {
  readonly path: string
  readonly hooksDir: string
}

type RunOnce = (isWanted: (test: TestCase) => boolean) => Promise<void>

export async function runAgainOnChange(context: CliContext, place: Place, runOnce: RunOnce): Promise<void> {
  const { runtime, signal, stdout } = context
  const run: RunOnce = async (isWanted) => {
    // A case or a hook that cannot be read is as common while it is edited as one that fails.
    await runOnce(isWanted).catch((error: unknown) => {
      context.exit(1)
      stdout.write(`${messageOf(error)}\n`)
    })
    if (!signal.aborted) stdout.write('waiting for changes; press Ctrl-C to end\n')
  }
  const folders = await foldersOf(context, place)
  const states = await Promise.all(folders.map((folder) => stateOf(runtime.files, folder)))
  let running = run(() => true)
  const followed = folders.map(
    (folder, index) =>
      new FolderChanges(runtime, { folder, state: states[index] ?? new Map() }, (paths) => {
        running = running.then(async () => {
          if (signal.aborted) return
          stdout.write(`\nchanged: ${[...paths].map((path) => relative('', path)).join(', ')}\n`)
          await run(await concernOf(context, paths, place.hooksDir))
        })
        return running
      }),
  )
  await aborted(signal)
  await Promise.all(followed.map((changes) => changes.close()))
  await running
}

/** The folder of the hooks and that of the cases; one, when one contains the other. */
async function foldersOf({ runtime }: CliContext, { path, hooksDir }: Place): Promise<readonly string[]> {
  const isFolder = (await runtime.files.facts(path))?.kind === 'directory'
  const [cases, hooks] = [resolve(isFolder ? path : dirname(path)), resolve(hooksDir)]
  if (`${hooks}/`.startsWith(`${cases}/`)) return [cases]
  return `${cases}/`.startsWith(`${hooks}/`) ? [hooks] : [cases, hooks]
}

/** Says of a case whether its file or one of its hooks has changed. A file that is neither may be read by any hook. */
async function concernOf(
  { runtime }: CliContext,
  paths: ReadonlySet<string>,
  hooksDir: string,
): Promise<(test: TestCase) => boolean> {
  const names = new Map<string, string>()
  for (const path of paths) {
    const name = relative(resolve(hooksDir), path)
    const facts = await runtime.files.facts(path)
    const isProgram = facts !== undefined && ((facts.mode & executable) !== 0 || /\.m?[jt]s$/.test(name))
    if (isProgram && !/(^|\/)(\.\.|lib)\//.test(name)) names.set(path, name)
  }
  return ({ file, hooks }) =>
    [...paths].some((path) => {
      if (/\.hooktest\.ya?ml$/.test(path)) return path === resolve(file)
      const name = names.get(path)
      return name === undefined || hooks === undefined || hooks.some((hook) => isHookName(name, hook))
    })
}

const executable = 0o111

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
