import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

interface CopyButtonProps {
  /** What it does, for those who don't see it: begins with “Copy”. */
  label: string
  text: () => string
  look?: 'button' | 'quiet' | 'icon'
}

const looks = { button: 'button small', quiet: 'button small quiet', icon: 'button small quiet icon' }

/** Copies a text, which is only made when it is asked for. */
export function CopyButton({ label, text, look = 'quiet' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    // The clipboard is missing on plain http, and may be refused.
    await navigator.clipboard?.writeText(text()).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <button type="button" className={looks[look]} aria-label={label} title={label} onClick={copy}>
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      <span className={look === 'icon' ? 'visually-hidden' : undefined} aria-live="polite">
        {copied ? 'Copied' : 'Copy'}
      </span>
    </button>
  )
}
