/** The functions and types of expressions; one environment per set of variables, cached. */
import { Environment } from '@marcbachmann/cel-js'
import { registerAddresses } from './library/addresses.ts'
import { registerAuthorizer } from './library/authorizer.ts'
import { registerFormats } from './library/formats.ts'
import { registerLists } from './library/lists.ts'
import { registerOptionals } from './library/optionals.ts'
import { registerQuantities } from './library/quantities.ts'
import { registerRegex } from './library/regex.ts'
import { registerSemver } from './library/semver.ts'
import { registerStrings } from './library/strings.ts'
import { registerUrls } from './library/urls.ts'

const environments = new Map<string, Environment>()

export function environmentFor(variables: readonly string[], optionals: readonly string[]): Environment {
  const key = `${variables.join()};${optionals.join()}`
  const known = environments.get(key)
  if (known !== undefined) return known
  const environment = base().clone()
  for (const name of variables) environment.registerVariable(name, 'dyn')
  for (const name of optionals) environment.registerVariable(name, 'optional<dyn>')
  environments.set(key, environment)
  return environment
}

function base(): Environment {
  const known = environments.get('')
  if (known !== undefined) return known
  const environment = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true })
  registerStrings(environment)
  registerLists(environment)
  registerRegex(environment)
  registerOptionals(environment)
  registerUrls(environment)
  registerQuantities(environment)
  registerAddresses(environment)
  registerAuthorizer(environment)
  registerFormats(environment)
  registerSemver(environment)
  environments.set('', environment)
  return environment
}
