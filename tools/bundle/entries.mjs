/** The files of `dist` that `package.json` names under `exports`, with the modules they are made from. */
export const entries = {
  index: 'index',
  cron: 'cron/public',
  deployers: 'deployers/public',
  hooks: 'addons/scripts/sdk/hooks',
  jq: 'jq/public',
  kube: 'kube/node',
  'kube-browser': 'kube/public',
  patch: 'patch/public',
  runtime: 'runtime/public',
  'runtime-real': 'runtime/real/index',
  sandbox: 'sandbox/public',
  schema: 'schema/public',
  'script-hooks': 'addons/scripts/sdk/index',
}
