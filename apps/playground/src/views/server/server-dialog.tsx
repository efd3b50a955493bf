import { Dialog } from '@base-ui/react/dialog'
import type { ConnectionState } from '@x/web'
import { Info, X } from 'lucide-react'
import { ServerOverview } from './server-overview.js'

/** The server's own words, from anywhere on the page. */
export function ServerDialog({ url, state }: { url: string; state: ConnectionState }) {
  return (
    <Dialog.Root>
      <Dialog.Trigger className="button small">
        <Info size={14} aria-hidden /> <span className="server-action">Server details</span>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup className="dialog">
          <div className="dialog-head">
            <Dialog.Title>{state.server?.title ?? state.server?.name ?? 'Server'}</Dialog.Title>
            <Dialog.Close className="button small icon quiet" aria-label="Close">
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <ServerOverview url={url} state={state} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
