/** Runs a module's enabled script, which writes `true` or `false` to a file. Anything else is an error. */
import { describeOutcome, runProcess } from '../../../hooks/index.ts'
import { CarabinerError, type Runtime } from '../../../runtime/index.ts'
import { HookOutput } from '../../scripts/run/log.ts'
import type { Module } from '../discovery/module.ts'
import type { ValuesFiles } from '../values/values.ts'

export interface EnabledScriptOptions {
  /** The environment of the script. */
  readonly env: Readonly<Record<string, string>>
  /** The value of `WORKING_DIR`. */
  readonly workingDir: string
  /** Created if it does not exist. */
  readonly tmpDir: string
  /** In milliseconds. @default none */
  readonly timeout?: number
  readonly signal: AbortSignal
}

const variables = {
  CONFIG_VALUES_PATH: 'config-values.json',
  VALUES_PATH: 'values.json',
  MODULE_ENABLED_RESULT: 'enabled',
  MODULE_ENABLED_REASON: 'reason',
} as const

/** @throws `CRB_ENABLED_SCRIPT_FAILED` */
export async function runEnabledScript(
  runtime: Runtime,
  module: Module,
  values: ValuesFiles,
  { env, workingDir, tmpDir, timeout, signal }: EnabledScriptOptions,
): Promise<boolean> {
  const { files } = runtime
  await files.makeDirectory(tmpDir)
  const folder = await files.makePrivate(tmpDir, Object.values(variables))
  try {
    await folder.write(variables.VALUES_PATH, values.values)
    await folder.write(variables.CONFIG_VALUES_PATH, values.configValues)
    const paths = Object.entries(variables).map(([variable, name]) => [variable, `${folder.path}/${name}`])
    const log = runtime.log.with({ module: module.name })
    const output = new HookOutput(() => log, { mergeJson: false, clock: runtime.clock })
    const outcome = await runProcess(runtime, {
      command: module.enabledScript ?? '',
      env: { ...env, ...Object.fromEntries(paths), WORKING_DIR: workingDir },
      cwd: module.path,
      line: (stream, text) => output.take(stream, text),
      signal,
      ...(timeout === undefined ? {} : { timeout }),
    })
    output.close()
    signal.throwIfAborted()
    const problem = describeOutcome(outcome, timeout)
    if (problem !== undefined)
      throw failed(module, output.complaints === '' ? problem : `${problem}: ${output.complaints}`)
    const { enabled = '', reason = '' } = await folder.readNonEmpty(Object.values(variables))
    const word = enabled.trim()
    if (word !== 'true' && word !== 'false')
      throw failed(module, `wrote ${JSON.stringify(word.slice(0, 60))} to MODULE_ENABLED_RESULT, not true or false`)
    log.info('enabled script of the module answered', { enabled: word === 'true', reason: reason.trim() || undefined })
    return word === 'true'
  } finally {
    // Not in the background: the folder must be gone before the next script runs.
    await files.remove(folder.path)
  }
}

function failed({ name, enabledScript }: Module, what: string): CarabinerError {
  return new CarabinerError('CRB_ENABLED_SCRIPT_FAILED', `module ${name}: the program ${enabledScript} ${what}.`)
}
