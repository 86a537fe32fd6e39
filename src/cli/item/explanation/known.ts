/** The deployers that are said to run: by a running operator, by the file it runs with, or those that come with the program. */
import {
  type DeployersConfiguration,
  defaultTimeouts,
  HookRunner,
  type RunningDeployers,
  readConfiguration,
  stockNames,
  surfaceOptions,
  type Timeouts,
} from '../../../deployers/index.ts'
import { parseYaml } from '../../../kube/manifest/index.ts'
import { CarabinerError, isJsonObject, type Json } from '../../../runtime/index.ts'
import { textOf } from '../../answer.ts'
import type { CliContext } from '../../context.ts'
import type { Place } from '../../place.ts'
import type { KnownDeployer } from './deployers.ts'

export interface KnownOptions {
  readonly deployersConfig?: string
  readonly operator?: string
  /** A file that exports deployers. */
  readonly deployer?: string
}

/** The deployers, and what holds for all of them. */
export interface Known {
  readonly deployers: readonly KnownDeployer[]
  readonly timeouts: Timeouts
  readonly deletionFirst: boolean
  /** It was not given which deployers run: these are the stock deployers. */
  readonly isGuess?: true
}

type World = Pick<CliContext, 'runtime' | 'signal'>

const remedy = 'Ask on the machine of the operator that leads and runs deployers, at the port of its metrics.'

const stock: DeployersConfiguration = { deployers: stockNames.map((name) => ({ name })) }

export async function knownBy(
  world: World,
  { operator, deployersConfig: path, deployer }: KnownOptions,
  place: Place,
): Promise<Known> {
  if (operator !== undefined) return await askOperator(world, operator)
  if (deployer !== undefined) {
    const { loadDeployers } = await import('../../deployer/load.ts')
    const deployers = await loadDeployers(world.runtime.files, deployer)
    return {
      timeouts: defaultTimeouts,
      deletionFirst: false,
      deployers: deployers.map(({ name, type }) => ({ name, type, targetSelectors: [] })),
    }
  }
  if (path === undefined) return { ...knownFrom(stock, world, place), isGuess: true }
  const document = (parseYaml(await world.runtime.files.readText(path), path) ?? {}) as Json
  return knownFrom(readConfiguration(document, path), world, place)
}

export function knownFrom(
  configuration: DeployersConfiguration,
  { runtime }: Pick<World, 'runtime'>,
  { client }: Place,
): Known {
  const { deployers, timeouts, targetClients } = surfaceOptions(configuration)
  const running = deployers(
    runtime,
    targetClients(runtime),
    client,
    new HookRunner(client, runtime, AbortSignal.abort()),
  )
  return {
    timeouts: { ...defaultTimeouts, ...timeouts },
    deletionFirst: running.some(({ options }) => options?.deletionFirst === true),
    deployers: running.map(({ deployer: { name, type }, options = {} }) => ({
      name,
      type,
      targetSelectors: options.targetSelectors ?? [],
      ...(options.identity === undefined ? {} : { identity: options.identity }),
    })),
  }
}

async function askOperator({ runtime, signal }: World, url: string): Promise<Known> {
  if (!URL.canParse(url))
    throw new CarabinerError('CRB_USAGE', `--operator ${url}: is no URL, for example http://127.0.0.1:9115`)
  const request = { method: 'GET', target: '/deployers/', headers: {}, signal }
  const answer = await runtime.http.request({ origin: new URL(url).origin }, request).catch((cause: unknown) => {
    throw new CarabinerError('CRB_OPERATOR_NOT_FOUND', `no operator answers on ${url}`, { cause, remedy })
  })
  const text = await textOf(answer)
  if (answer.status !== 200)
    throw new CarabinerError('CRB_OPERATOR_NOT_FOUND', `${url} runs no deployers: ${answer.status} ${text.trim()}`, {
      remedy,
    })
  const running = deployersIn(text)
  if (running === undefined)
    throw new CarabinerError('CRB_OPERATOR_NOT_FOUND', `${url} is answered by something that is no operator`, {
      remedy,
    })
  const { timeouts, deployers } = running
  return { timeouts, deployers, deletionFirst: deployers.some(({ deletionFirst }) => deletionFirst) }
}

/** Whatever listens there may answer anything. */
function deployersIn(text: string): RunningDeployers | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    const isOurs = isJsonObject(answer) && Array.isArray(answer['deployers']) && isJsonObject(answer['timeouts'])
    return isOurs ? (answer as unknown as RunningDeployers) : undefined
  } catch {
    return undefined
  }
}
