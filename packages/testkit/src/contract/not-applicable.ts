import type { ContractCase, PathName } from './contract-case.js'
import { type CaseName, contractCases } from './suite.js'

const toolsAlone = "a gateway's own endpoint serves tools, and neither resources nor prompts"
const sessionPerRequest = 'each request to a gateway has a session of its own with the server'
const announcesNothing = "a gateway's own endpoint announces nothing"
const asksNobody = 'a gateway asks nobody: what its servers ask is declined there'
const tasksOfItsOwn = 'whether and for how long its servers run tasks is the gateway’s to configure'
const noHeaders = 'a local server is sent no headers, and no credentials'
const noSession = 'a process has no session that it could lose: it ends'
const noLimitOfItsOwn = 'nothing on this path has a limit of its own'

/** The cases that a path has nothing for, and why. Every other case has to pass. */
export const notApplicable: Readonly<Record<PathName, { [Name in CaseName]?: string }>> = {
  direct: {
    'a reply past the gateway’s own limit is cut there, and the client is told': noLimitOfItsOwn,
  },
  stdio: {
    'tools are listed in the fewest requests, and in fewer where the server is known':
      'a process is asked nothing before the handshake, and nothing of it is remembered',
    'a server that is not there is a ConnectError with every attempt':
      'a command is not tried in several ways; what comes of it is tested in core',
    'wire events tell of each exchange, without credentials': noHeaders,
    'a framework’s proxy around configuration and arguments is plain data': noHeaders,
    'connections of one host run at the same time and end one by one': noHeaders,
    'credentials, headers and _meta go along with every request': noHeaders,
    'an API key goes along in its own header': noHeaders,
    'the token hook runs where the app is': noHeaders,
    'a call’s limit is 300 s unless configured, kept where the I/O runs':
      'no runtime is handed in that could tell of its timers',
    'a reply past the gateway’s own limit is cut there, and the client is told': noLimitOfItsOwn,
    'ten calls on a lost session get ten results, one new session, and no tool twice': noSession,
    'the state and an event tell of a session that was renewed': noSession,
    'a bare error instead of a reply is told at once, and the next call has a new session': noSession,
    'with reinitialize: false a lost session is told': noSession,
    'a stream that broke is opened anew': noSession,
    'what is listened to survives a lost session': noSession,
  },
  gateway: {
    'every resource, template and prompt is listed, whatever the pages': toolsAlone,
    'resources are read as text and as bytes': toolsAlone,
    'prompts are filled in, and bring bytes too': toolsAlone,
    'arguments are completed, of prompts and templates, and by the other arguments': toolsAlone,
    'the server and what it lists keep their titles and icons': toolsAlone,
    '_meta of what is read and of prompts is kept': toolsAlone,
    'ten calls on a lost session get ten results, one new session, and no tool twice': sessionPerRequest,
    'the state and an event tell of a session that was renewed': sessionPerRequest,
    'a bare error instead of a reply is told at once, and the next call has a new session': sessionPerRequest,
    'with reinitialize: false a lost session is told': sessionPerRequest,
    'tools are listed in the fewest requests, and in fewer where the server is known':
      'the gateway connects to its servers anew for each of its own requests',
    'a form is handed to the hook, and its defaults fill the answer': asksNobody,
    'a person may decline or cancel': asksNobody,
    'a URL is handed to the hook with its host, and only an action goes back': asksNobody,
    'a question to a model is handed to the hook, with bytes both ways': asksNobody,
    'roots are told when the server asks for them': asksNobody,
    'several questions of one call are answered, in turn or at once, and it runs once': asksNobody,
    'each hook is told to the server, and nothing that has none': asksNobody,
    'a hook that throws, or answers what the form does not allow, has declined': asksNobody,
    'the time that a person takes counts against no limit': asksNobody,
    'a call that needs a visit first is sent once more when the visit is over': asksNobody,
    'what a task asks is answered by the hooks': asksNobody,
    'what may be a task is one when configured': tasksOfItsOwn,
    'a task that takes too long is cancelled on the server': tasksOfItsOwn,
    'a task is asked about so often and no more': tasksOfItsOwn,
    'every skill is listed, whatever the pages': toolsAlone,
    'each file of a skill is read and found to be what the skill says': toolsAlone,
    'a file that is not what the skill says is refused': toolsAlone,
    'a list that changed is told, and then the new one is there': announcesNothing,
    'there is one stream, however many listen': announcesNothing,
    'a stream that broke is opened anew': announcesNothing,
    'what is listened to survives a lost session': announcesNothing,
    'log messages come from the level that is asked for on': announcesNothing,
    'who wants no log messages gets none': announcesNothing,
    'listen tells of the resources that it names': announcesNothing,
    'who subscribed to a resource is told of its updates, and of no other’s': announcesNothing,
    'after unsubscribing nobody is told': announcesNothing,
    'a ping is answered': 'a gateway answers pings itself',
    'a cursor gives that page as the server sent it': "the gateway joins its servers' pages into one",
  },
  passthrough: {
    'a reply past the gateway’s own limit is cut there, and the client is told': noLimitOfItsOwn,
  },
}

/** The cases of a path. */
export function casesOf(path: PathName): ContractCase[] {
  return contractCases.filter(({ name }) => !(name in notApplicable[path]))
}
