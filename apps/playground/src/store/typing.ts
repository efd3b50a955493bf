import type { JsonObject } from '@x/web'
import { type Draft, emptyDraft, withArgs, withMode, withText } from './drafts.js'
import type { StoreCore } from './playground-store.js'
import type { Settings } from './settings.js'
import type { Section, Selection } from './state.js'

/** What changes as a person types and chooses. */
export interface TypingActions {
  edit(change: Partial<Settings>): void
  show(section: Section): void
  choose(section: keyof Selection, name: string | undefined): void
  editArgs(tool: string, args: JsonObject): void
  editText(tool: string, text: string): void
  editMode(tool: string, mode: Draft['mode']): void
  /** Puts arguments of an earlier call back into the form. */
  restore(tool: string, args: JsonObject): void
  /** An argument of a prompt or a template; `undefined` leaves it out. */
  editArgument(subject: string, name: string, text: string | undefined): void
}

export function createTypingActions({ get, set }: StoreCore): TypingActions {
  const draft = (tool: string, edit: (before: Draft) => Draft) =>
    set({ drafts: { ...get().drafts, [tool]: edit(get().drafts[tool] ?? emptyDraft) } })
  return {
    edit: (change) => {
      const problems = { ...get().problems }
      for (const key of Object.keys(change)) delete problems[key as keyof Settings]
      set({ settings: { ...get().settings, ...change }, problems })
    },
    show: (section) => set({ section }),
    choose: (section, name) => {
      const { [section]: _before, ...others } = get().selection
      set({ selection: name === undefined ? others : { ...others, [section]: name } })
    },
    editArgs: (tool, args) => draft(tool, (before) => withArgs(before, args)),
    editText: (tool, text) => draft(tool, (before) => withText(before, text)),
    editMode: (tool, mode) => draft(tool, (before) => withMode(before, mode)),
    restore: (tool, args) => draft(tool, (before) => withArgs(before, args)),
    editArgument: (subject, name, text) => {
      const { [name]: _before, ...others } = get().texts[subject] ?? {}
      set({ texts: { ...get().texts, [subject]: text === undefined ? others : { ...others, [name]: text } } })
    },
  }
}
