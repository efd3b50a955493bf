import '../report-violations.js'
import '@x/web/worker'
