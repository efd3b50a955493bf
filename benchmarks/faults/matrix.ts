import type { Era } from '@x/core'
import { type FaultScript, faults, replyForms, responseLength, toLine } from '@x/testkit/faulty'
import { type PlaceName, placeNames } from './place.js'

/** One script at one place. */
export interface Run {
  place: PlaceName
  script: FaultScript
}

const eras: Era[] = ['modern', 'legacy']
/** Offsets at the end of a response that a sample takes all the same: where the reply is there and its end is not. */
const tailBytes = 9

/** Every fault at every offset of every form of response, at both places. */
export function allRuns(sampleEvery = 1): Run[] {
  const scripts = eras.flatMap((era) =>
    replyForms.flatMap((form) => faults.flatMap((fault) => everyOffset({ era, form, fault, offset: 0 }))),
  )
  const taken = scripts.filter((script, index) => {
    const left = responseLength(script) - script.offset
    return index % sampleEvery === 0 || left <= tailBytes
  })
  return placeNames.flatMap((place) => taken.map((script) => ({ place, script })))
}

function everyOffset(script: FaultScript): FaultScript[] {
  // There is no byte behind the last one to garble, but it is a place to stop at.
  const places = responseLength(script) + (script.fault === 'garble' ? 0 : 1)
  return Array.from({ length: places }, (_, offset) => ({ ...script, offset }))
}

/** By this a run is named, and made again with `--only`. */
export const runName = ({ place, script }: Run): string => `${place}/${toLine(script)}`
