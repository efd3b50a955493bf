/** A worker's whole script: `import '@x/web/worker'`. Its effect is to serve connections to the page. */
import { serve } from './serve.js'

serve()
