import type { ConnectAttempt } from '@x/web'

/** Each way in which a connection was tried, and how it ended. */
export function AttemptTable({ attempts }: { attempts: readonly ConnectAttempt[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div className="attempts" tabIndex={0}>
      <table>
        <caption>What was tried</caption>
        <thead>
          <tr>
            <th scope="col">Transport</th>
            <th scope="col">Era</th>
            <th scope="col">Status</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt, index) => (
            <tr key={index}>
              <td>{attempt.transport}</td>
              <td>{attempt.era ?? '–'}</td>
              <td>{attempt.status ?? '–'}</td>
              <td>{attempt.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
