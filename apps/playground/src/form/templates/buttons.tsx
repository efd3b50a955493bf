import type { IconButtonProps } from '@rjsf/utils'
import { ArrowDown, ArrowUp, Copy, Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'

function iconButton(label: string, icon: ReactNode) {
  return function IconButton({ id, onClick, disabled, 'aria-label': name }: IconButtonProps) {
    return (
      <button
        type="button"
        id={id}
        className="button small icon quiet"
        aria-label={name ?? label}
        title={label}
        disabled={disabled}
        onClick={onClick}
      >
        {icon}
      </button>
    )
  }
}

function AddButton({ id, onClick, disabled, 'aria-label': name }: IconButtonProps) {
  return (
    <button type="button" id={id} className="button small" aria-label={name} disabled={disabled} onClick={onClick}>
      <Plus size={14} aria-hidden /> Add
    </button>
  )
}

/** The form library's own buttons are glyphs of a font that isn't there. */
export const buttonTemplates = {
  AddButton,
  CopyButton: iconButton('Copy', <Copy size={14} aria-hidden />),
  MoveDownButton: iconButton('Move down', <ArrowDown size={14} aria-hidden />),
  MoveUpButton: iconButton('Move up', <ArrowUp size={14} aria-hidden />),
  RemoveButton: iconButton('Remove', <X size={14} aria-hidden />),
  ClearButton: iconButton('Clear', <X size={14} aria-hidden />),
  SubmitButton: () => null,
}
