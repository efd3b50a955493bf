import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { Actions, PlaygroundStore } from '../store/playground-store.js'
import type { PlaygroundState } from '../store/state.js'

export const StoreContext = createContext<PlaygroundStore | undefined>(undefined)

function usePlaygroundStore(): PlaygroundStore {
  const store = useContext(StoreContext)
  if (!store) throw new Error('there is no store above this view')
  return store
}

/** A part of the state; the view is drawn again when it changes. */
export function usePlayground<Part>(select: (state: PlaygroundState) => Part): Part {
  return useStore(usePlaygroundStore(), select)
}

export function useActions(): Actions {
  return usePlaygroundStore().actions
}
