import type { ContractCase, PathName } from './contract-case.js'
import { type CaseName, contractCases } from './suite.js'

const toolsAlone = "a gateway's own endpoint serves tools, and neither resources nor prompts"
const noLimitOfItsOwn = 'nothing on this path has a limit of its own'

/** The cases that a path has nothing for, and why. Every other case has to pass. */
export const notApplicable: Readonly<Record<PathName, { [Name in CaseName]?: string }>> = {
  direct: {
    'a reply past the gateway’s own limit is cut there, and the client is told': noLimitOfItsOwn,
  },
  gateway: {
    'every resource, template and prompt is listed, whatever the pages': toolsAlone,
    'resources are read as text and as bytes': toolsAlone,
    'prompts are filled in, and bring bytes too': toolsAlone,
    'tools are listed in the fewest requests, and in fewer where the server is known':
      'the gateway connects to its servers anew for each of its own requests',
    'a cursor gives that page as the server sent it': "the gateway joins its servers' pages into one",
  },
  passthrough: {
    'a reply past the gateway’s own limit is cut there, and the client is told': noLimitOfItsOwn,
  },
}

/** The cases of a path. */
export function casesOf(path: PathName): ContractCase[] {
  return contractCases.filter(({ name }) => !(name in notApplicable[path]))
}
