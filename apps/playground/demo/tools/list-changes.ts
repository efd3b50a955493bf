import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { defineTool, structuredResult, textResult } from '../tool.js'

/** Not in the list until `add_tool` puts it there. */
export const rollDice = defineTool({
  name: 'roll_dice',
  title: 'Roll dice',
  description: 'Rolls up to ten dice. This tool comes and goes with “Add a tool” and “Remove the tool”.',
  input: z.object({ count: z.int().min(1).max(10).default(2).meta({ title: 'Dice' }) }),
  output: z.object({ dice: z.array(z.int().min(1).max(6)), sum: z.int() }),
  run({ count }) {
    const dice = Array.from({ length: count }, () => randomInt(1, 7))
    return structuredResult({ dice, sum: dice.reduce((sum, eyes) => sum + eyes, 0) })
  },
})

export const addTool = defineTool({
  name: 'add_tool',
  title: 'Add a tool',
  description: 'Adds the tool “Roll dice” to this server’s list and tells clients that the list has changed.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  run(_args, context) {
    if (context.extraTool.offered) return textResult(`${rollDice.name} is in the list already.`)
    context.extraTool.offer(true)
    return textResult(`Added ${rollDice.name}.`)
  },
})

export const removeTool = defineTool({
  name: 'remove_tool',
  title: 'Remove the tool',
  description: 'Removes the tool “Roll dice” from this server’s list and tells clients that the list has changed.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  run(_args, context) {
    if (!context.extraTool.offered) return textResult(`${rollDice.name} is not in the list.`)
    context.extraTool.offer(false)
    return textResult(`Removed ${rollDice.name}.`)
  },
})
