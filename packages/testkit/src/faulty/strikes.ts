/** Holds each fault back until it is told to happen, so that nobody has to guess what the client has read before it. */
export interface Strikes {
  /** What went before the fault is out. Resolves when the fault may happen. */
  reached(key: string): Promise<void>
  /** The fault has happened, with all that it takes. */
  happened(key: string): void
  /** Resolves when the server has come to the fault. */
  struck(key: string): Promise<void>
  /** Lets the fault happen; resolves when it has. */
  release(key: string): Promise<void>
  forget(): void
}

export function createStrikes(): Strikes {
  const strikes = new Map<string, Record<'reached' | 'released' | 'happened', Gate>>()
  const of = (key: string) => {
    const known = strikes.get(key)
    if (known) return known
    const made = { reached: gate(), released: gate(), happened: gate() }
    strikes.set(key, made)
    return made
  }
  return {
    reached(key) {
      of(key).reached.open()
      return of(key).released.opened
    },
    happened: (key) => of(key).happened.open(),
    struck: (key) => of(key).reached.opened,
    release(key) {
      of(key).released.open()
      return of(key).happened.opened
    },
    forget: () => strikes.clear(),
  }
}

interface Gate {
  open(): void
  opened: Promise<void>
}

function gate(): Gate {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
