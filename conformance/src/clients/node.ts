// Core in this process.
import { connect } from '@x/core'
import { runScenario } from '../scenarios.js'
import { runClientCommand } from './client-command.js'

await runClientCommand((job) => runScenario(job, connect))
