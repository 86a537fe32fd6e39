/** Runs a program as a hook: the context in one file, the answer in another, and what it prints in the log. */
import { describeOutcome, runProcess } from '../../hooks/index.ts'
import type { HookContext, HookRun } from './hook-run.ts'

export interface ProcessAction {
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** @default a private folder, gone when the hook has ended */
  readonly workingDir?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Gives what the hook wrote into its answer; rejects when it did not end well. */
export async function processHook(
  { command: [program = '', ...args], workingDir, env = {} }: ProcessAction,
  context: HookContext,
  { runtime, timeout, hook }: HookRun,
): Promise<string> {
  const { files, clock, processes } = runtime
  const folder = await files.makeTemporary('carabiner-hook-')
  const [given, answer] = [`${folder}/context.json`, `${folder}/answer.json`]
  try {
    await files.write(given, JSON.stringify(context))
    await files.write(answer, '')
    const outcome = await runProcess(
      { clock, processes },
      {
        command: program,
        args,
        cwd: workingDir ?? folder,
        env: {
          PATH: runtime.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
          HOME: runtime.env['HOME'] ?? folder,
          ...env,
          HOOK_POINT: context.point,
          HOOK_CONTEXT_PATH: given,
          HOOK_ANSWER_PATH: answer,
        },
        timeout,
        signal: hook.signal,
        line: (stream, text) =>
          hook.log.info('hook output', { hook: context.hook, point: context.point, stream, text }),
      },
    )
    const problem = describeOutcome(outcome, timeout)
    if (problem !== undefined) throw new Error(`hook ${context.hook} ${problem}`)
    return await files.readText(answer)
  } finally {
    await files.remove(folder)
  }
}
