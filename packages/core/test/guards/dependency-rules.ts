import type { IForbiddenRuleType } from 'dependency-cruiser'

const core = '^packages/core/src'
const web = '^packages/web/src'

/** Layers of core that don't know each other; `session` joins them. */
const layers = ['transport', 'authorization', 'content', 'schema']

/** Files above the port, and what they stand on: the port, what crosses it, and each other. */
const aboveThePort = '(client|toolset/.+|formats/.+)'
/** What everyone may use, because it knows nobody but the port's types. */
const foundation = '(errors|protocol|abort|version|clean-text)'
const belowThePort = '(session|transport|authorization)/'

/** Who may know whom. Type imports count. */
export const rules: IForbiddenRuleType[] = [
  { name: 'no cycles in packages', from: { path: '^packages/' }, to: { circular: true } },
  {
    name: 'no cycles but of types in the playground',
    from: { path: '^apps/' },
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'core knows no other package of the workspace',
    from: { path: core },
    to: { path: '^(packages/(?!core/)|apps/|e2e/|@x/)' },
  },
  {
    name: 'web knows core alone',
    from: { path: web },
    to: { path: '^(packages/(?!web/|core/)|apps/|e2e/|@x/(?!core))' },
  },
  {
    name: 'edge knows core alone',
    from: { path: '^packages/edge/src' },
    to: { path: '^(packages/(?!edge/|core/)|apps/|e2e/|@x/(?!core))' },
  },
  {
    name: 'the playground knows web and edge alone',
    from: { path: '^apps/playground/src' },
    to: { path: '^(packages/(?!web/|edge/)|e2e/|@x/(?!web|edge))' },
  },
  {
    name: "a package's own files are reached by its entries, not by a path into it",
    from: { path: '^(packages|apps)/([^/]+)/' },
    to: { path: '^packages/[^/]+/src', pathNot: '^(packages|apps)/$2/' },
  },
  { name: 'errors and protocol know nobody', from: { path: `${core}/(errors|protocol)\\.ts$` }, to: { path: '.' } },
  {
    name: "the foundation knows nobody but the port's types",
    from: { path: `${core}/${foundation}\\.ts$` },
    to: { path: '.', pathNot: `${core}/(connection|protocol)\\.ts$` },
  },
  {
    name: 'config knows errors, and types of the port',
    from: { path: `${core}/config\\.ts$` },
    to: { path: '.', pathNot: `${core}/(errors|connection|protocol)\\.ts$` },
  },
  {
    name: 'config takes only types from the port',
    from: { path: `${core}/config\\.ts$` },
    to: { path: `${core}/(connection|protocol)\\.ts$`, dependencyTypesNot: ['type-only'] },
  },
  ...layers.flatMap((layer): IForbiddenRuleType[] => [
    {
      name: `${layer} knows no layer beside it`,
      from: { path: `${core}/${layer}/` },
      to: { path: `${core}/(${layers.filter((other) => other !== layer).join('|')})/` },
    },
    {
      name: `${layer} knows nobody above it`,
      from: { path: `${core}/${layer}/` },
      to: { path: `${core}/(?!${layer}/)(?!(${foundation}|config|connection)\\.ts$)` },
    },
  ]),
  {
    name: 'only local servers know Node',
    from: { path: core, pathNot: `${core}/stdio(\\.ts$|/)` },
    to: { path: '^node:|^cross-spawn$|node_modules/cross-spawn/|client/dist/stdio', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'only local servers know Node: no built-in by its bare name either',
    from: { path: core, pathNot: `${core}/stdio(\\.ts$|/)` },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'nobody in core knows local servers',
    from: { path: core, pathNot: `${core}/stdio(\\.ts$|/)` },
    to: { path: `${core}/stdio(\\.ts$|/)` },
  },
  {
    name: 'above the port: only the port, content, schema and errors',
    from: { path: `${core}/${aboveThePort}\\.ts$` },
    to: {
      path: core,
      pathNot: `${core}/(${aboveThePort}|${foundation}|connection|content/.+|schema/.+|config)\\.ts$`,
    },
  },
  {
    name: 'above the port: only the tool set, which opens connections, knows configurations',
    from: { path: `${core}/${aboveThePort}\\.ts$`, pathNot: `${core}/toolset/` },
    to: { path: `${core}/config\\.ts$` },
  },
  {
    name: 'what files declare knows only what is above the port, and configurations',
    from: { path: `${core}/declarative/` },
    to: {
      path: core,
      pathNot: `${core}/(declarative/.+|client|toolset/.+|${foundation}|connection|content/.+|config)\\.ts$`,
    },
  },
  {
    name: 'nobody in core knows what files declare',
    from: { path: core, pathNot: `${core}/declarative/` },
    to: { path: `${core}/declarative/` },
  },
  {
    // What it knew of the client's own way to speak the protocol, it could not find wrong.
    name: 'the test server shares only shapes with the client: the port, results of functions, base64',
    from: { path: `${core}/testing/` },
    to: { path: core, pathNot: `${core}/(testing/.+|${foundation}|toolset/local-result|content/base64)\\.ts$` },
  },
  {
    name: 'the test server knows no package',
    from: { path: `${core}/testing/` },
    to: { path: 'node_modules/' },
  },
  {
    name: 'nobody in core knows the test server',
    from: { path: core, pathNot: `${core}/testing/` },
    to: { path: `${core}/testing/` },
  },
  {
    name: 'what files declare reaches neither what is below the port nor the SDK',
    from: { path: `${core}/declarative/index\\.ts$` },
    to: { path: `${core}/${belowThePort}|node_modules/@modelcontextprotocol/`, reachable: true },
  },
  {
    name: 'what a page loads reaches neither what is below the port nor the SDK',
    from: { path: `${core}/client-entry\\.ts$` },
    to: { path: `${core}/${belowThePort}|node_modules/@modelcontextprotocol/`, reachable: true },
  },
]
