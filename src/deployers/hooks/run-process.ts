/** Runs a program as a hook: the context in one file, the answer in another, and its output in the log. */
import { runToEnd } from '../../hooks/index.ts'
import type { HookContext, HookRun } from './hook-run.ts'

export interface ProcessAction {
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** @default a private folder, deleted when the hook has ended */
  readonly workingDir?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Gives what the hook wrote into its answer file; rejects when it failed. */
export async function processHook(
  { command: [program = '', ...args], workingDir, env = {} }: ProcessAction,
  context: HookContext,
  { runner, run, timeout, hook, output }: HookRun,
): Promise<string> {
  const { files, env: inherited } = runner.runtime
  const folder = await files.makeTemporary('carabiner-hook-')
  const [given, answer] = [`${folder}/context.json`, `${folder}/answer.json`]
  try {
    await files.write(given, JSON.stringify(context))
    await files.write(answer, '')
    const action = {
      command: program,
      args,
      cwd: workingDir ?? folder,
      env: {
        PATH: inherited['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
        HOME: inherited['HOME'] ?? folder,
        ...env,
        ...(output.traceparent === undefined ? {} : { TRACEPARENT: output.traceparent }),
        HOOK_POINT: context.point,
        HOOK_CONTEXT_PATH: given,
        HOOK_ANSWER_PATH: answer,
      },
      timeout,
      onLine: ({ source, text }: { readonly source: string; readonly text: string }) => {
        output.addLine(text)
        const { hook: name, point } = context
        hook.log.info('hook output', { hook: name, point, stream: source, text, run: output.key })
      },
    }
    const end = await runToEnd(runner.processes, run, action, hook.signal)
    if (end.state === 'failed') throw new Error(`hook ${context.hook} ${end.message}`)
    return await files.readText(answer)
  } finally {
    await files.remove(folder)
  }
}
