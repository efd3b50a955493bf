import { createHost } from '@x/web'
import { showCall } from '../show-call.js'

await showCall(createHost())
