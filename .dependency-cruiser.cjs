// The layers: a room imports only the rooms listed for it, and only the rooms at the edge import Node.
const rooms = {
  runtime: [],
  jq: ['runtime'],
  cron: ['runtime'],
  patch: ['runtime'],
  schema: ['runtime'],
  kube: ['runtime', 'jq', 'cron', 'patch', 'schema'],
  helm: ['runtime', 'kube'],
  hooks: ['runtime', 'jq', 'cron', 'patch', 'schema', 'kube'],
  rollouts: ['runtime', 'jq', 'cron', 'patch', 'schema', 'kube', 'helm', 'hooks'],
  addons: ['runtime', 'jq', 'cron', 'patch', 'schema', 'kube', 'helm', 'hooks'],
  deployers: ['runtime', 'jq', 'cron', 'patch', 'schema', 'kube', 'helm', 'hooks'],
  'sandbox/apiserver': ['runtime', 'jq', 'patch', 'schema'],
  'sandbox/kinds': ['runtime', 'kube'],
  'sandbox/controllers': ['runtime', 'cron', 'patch', 'kube', 'sandbox/kinds'],
  'sandbox/scheduler': ['runtime', 'patch', 'kube', 'sandbox/kinds', 'sandbox/controllers'],
  'sandbox/nodes': ['runtime', 'patch', 'kube', 'sandbox/kinds', 'sandbox/controllers'],
  operator: ['runtime', 'jq', 'cron', 'patch', 'schema', 'kube', 'helm', 'hooks', 'rollouts', 'addons', 'deployers'],
}

const layers = Object.entries(rooms).map(([room, known]) => ({
  name: `${room} knows only ${known.join(', ') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^src/', pathNot: [`^src/${room}/`, ...known.map((name) => `^src/${name}/`)] },
}))

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'Node stays at the edges',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/runtime/(real|undici|memory)/',
          '^src/kube/network/',
          '^src/operator/',
          '^src/cli/',
          '\\.test\\.ts$',
        ],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      // Or through the index.ts of a part directly in it, for parts that are expensive to load or need Node. Tests may look inside.
      name: 'a room is entered through its index.ts',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { path: '^src/', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', '^src/[^/]+/[^/]+/index\\.ts$'] },
    },
    { name: 'no import cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'every import resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'only declared dependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
