import type { SentTool } from '../rules/rule.js'
import type { ToolForm } from '../src/formats.js'

/** Which rules of a provider's are broken by what is sent to it. */
export const breachesOf = ({ rules }: Pick<ToolForm, 'rules'>, sent: SentTool[]): string[] => [
  ...rules.list.flatMap((rule) => rule.breaches(sent).map((breach) => `${rule.title}: ${breach}`)),
  ...rules.tools.flatMap((rule) =>
    sent.flatMap((tool) => rule.breaches(tool).map((breach) => `${rule.title}: ${tool.name}${breach}`)),
  ),
]
