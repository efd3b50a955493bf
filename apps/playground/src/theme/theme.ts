import { recall, remember } from '../store/memory.js'

export type Theme = 'system' | 'light' | 'dark'

/** The remembered theme; the system's unless one was chosen. */
export function rememberedTheme(): Theme {
  const theme = recall('theme')
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Shows the page in `theme`, and remembers it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  remember('theme', theme === 'system' ? undefined : theme)
}
