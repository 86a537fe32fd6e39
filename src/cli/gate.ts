/** Converts the settings of the gate to the options of the rollouts surface. */
import type { OperatorSettings } from '../operator/index.ts'
import type { GateKind, GateOptions } from '../rollouts/index.ts'
import { issueCertificate } from './certificate.ts'

export function gateOptions(values: OperatorSettings, { install }: { readonly install: boolean }): GateOptions {
  const { gate, gateAddress, gatePort, gateHost, gateService } = values
  const [namespace, name] = gateService.split('/')
  const isShared = namespace !== undefined && name !== undefined
  return {
    install,
    issue: issueCertificate,
    ...(gate === 'auto' ? {} : { use: gate as GateKind }),
    webhook: {
      listen: { host: gateAddress, port: gatePort },
      ...(isShared ? { service: { namespace, name, port: 443 } } : { host: gateHost }),
    },
  }
}
