/** Where hooks that answer the API server listen, and with which certificates, from the flags. */
import type { ServerPlace, WebhookOptions } from '../../addons/scripts/index.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { issueCertificate } from '../certificate.ts'
import type { ResolvedScripts } from './resolve.ts'

/** `podNamespace`: where the operator runs, in a cluster. */
export async function webhookOptions(
  resolved: ResolvedScripts,
  runtime: Pick<Runtime, 'files' | 'env'>,
  podNamespace: string,
): Promise<WebhookOptions> {
  const { values } = resolved
  return {
    admission: {
      ...(await placeOf('validating', resolved, runtime, podNamespace)),
      name: values.validatingWebhookConfigurationName,
      failurePolicy: values.validatingWebhookFailurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    },
    conversion: await placeOf('conversion', resolved, runtime, podNamespace),
    issue: issueCertificate,
  }
}

async function placeOf(
  server: 'validating' | 'conversion',
  { values, given }: ResolvedScripts,
  { files, env }: Pick<Runtime, 'files' | 'env'>,
  podNamespace: string,
): Promise<ServerPlace> {
  const isInCluster = env['KUBERNETES_SERVICE_HOST'] !== undefined
  const namespace = values.namespace === '' ? podNamespace : values.namespace
  const names = [`${server}WebhookServerCert`, `${server}WebhookServerKey`, `${server}WebhookCa`] as const
  const paths = names.map((name) => values[name])
  const facts = await Promise.all(paths.map((path) => files.facts(path)))
  const missing = paths.filter((_, index) => facts[index] === undefined)
  // Files that somebody asked for must be there; those at the usual places may be.
  if (missing.length > 0 && (missing.length < paths.length || names.some((name) => given.has(name))))
    throw new CarabinerError('CRB_FILE_UNREADABLE', `there is no ${missing.join(' and no ')} for the webhook`, {
      remedy: `Put the files there or name others with --${server}-webhook-server-cert, -server-key and -ca; without any of them a certificate is made.`,
    })
  const [cert = '', key = '', ca = ''] = paths
  const clientCas = values[`${server}WebhookClientCa`].split(',').filter((path) => path !== '')
  return {
    listen: { host: values[`${server}WebhookListenAddress`], port: values[`${server}WebhookListenPort`] },
    ...(isInCluster ? { service: { namespace, name: values[`${server}WebhookServiceName`], port: 443 } } : {}),
    ...(missing.length === 0 ? { files: { cert, key, ca } } : {}),
    clientCas,
  }
}
