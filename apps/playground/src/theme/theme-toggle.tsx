import { Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { Segments } from '../ui/segments.js'
import { applyTheme, rememberedTheme, type Theme } from './theme.js'

const options = [
  { value: 'system', label: 'As the system', icon: <Monitor size={15} aria-hidden /> },
  { value: 'light', label: 'Light', icon: <Sun size={15} aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon size={15} aria-hidden /> },
] as const

export function ThemeToggle() {
  const [theme, setTheme] = useState<Theme>(rememberedTheme)
  return (
    <Segments
      label="Theme"
      options={options}
      iconsOnly
      value={theme}
      onChange={(next) => {
        applyTheme(next)
        setTheme(next)
      }}
    />
  )
}
