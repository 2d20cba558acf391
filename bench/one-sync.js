/**
 * @typedef {{ text: string, values: readonly (string | null)[] }} Statement
 * @typedef {{ name: string } & Statement} Named
 */

/** Two prepared statements and one Sync in one write: the least that a Node client can send for a scoped question. */
export class OneSync {
  /**
   * @param {Named} scope
   * @param {Named} question
   * @param {(error: Error | null, text: string) => void} done
   */
  constructor(scope, question, done) {
    this.statements = [scope, question]
    this.done = done
    this.text = ''
    this.error = /** @type {Error | null} */ (null)
  }

  /** @param {any} connection pg's */
  submit(connection) {
    connection.prepared ??= new Set()
    connection.stream.cork()
    for (const { name, text, values } of this.statements) {
      if (!connection.prepared.has(name)) {
        connection.prepared.add(name)
        connection.parse({ name, text, types: [] })
      }
      connection.bind({ statement: name, portal: '', values, valueMapper: (/** @type {unknown} */ value) => value })
      connection.execute({ portal: '', rows: 0 })
    }
    connection.sync()
    connection.stream.uncork()
  }

  /** @param {{ fields: string[] }} row */
  handleDataRow(row) {
    this.text = row.fields[0] ?? ''
  }
  /** @param {Error} error */
  handleError(error) {
    this.error = error
  }
  handleReadyForQuery() {
    this.done(this.error, this.text)
  }
  handleCommandComplete() {}
  handleRowDescription() {}
  handlePortalSuspended() {}
  handleEmptyQuery() {}
}

/**
 * Who asks, as the service says it before each question.
 * @param {string} role
 * @returns {Named}
 */
export const scopeOf = (role) => ({
  name: 'scope',
  text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`,
  values: [role, JSON.stringify({ role })],
})
