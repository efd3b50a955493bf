import type { Endpoint } from './endpoints.js'
import type { ContractControl } from './log.js'
import type { Offer } from './offer.js'
import { visitId } from './questions.js'
import type { Stage } from './stage.js'
import type { Streams } from './streams.js'

interface Actors {
  endpoints: Endpoint[]
  offer: Offer
  stage: Stage
  streams: Streams
}

/** Does what a test has the server do. */
export function createActions({ endpoints, offer, stage, streams }: Actors): ContractControl['act'] {
  const everywhere = async (act: (endpoint: Endpoint) => Promise<void>) => {
    await Promise.all(endpoints.map(act))
  }
  return async (action) => {
    switch (action.do) {
      case 'change-list':
        offer.add(action.list)
        return everywhere(({ announce }) => announce({ list: action.list }))
      case 'update-resource':
        return everywhere(({ announce }) => announce({ updated: action.uri }))
      case 'complete-visit':
        stage.visited = true
        return everywhere(({ announce }) => announce({ completed: visitId }))
      case 'release':
        return stage.release(action.tool)
      case 'forget-sessions':
        return everywhere(({ forget }) => forget(action.answer))
      case 'end-streams':
        return streams.end(action.how)
    }
  }
}
