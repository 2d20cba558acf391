/**
 * @typedef {{ text: string, values: readonly (string | null)[] }} Statement
 * @typedef {{ name: string } & Statement} Named
 */

/** Two prepared statements and one Sync in one write: the least that a Node client can send for a scoped question. */
export class OneSync {
  /**
   * @param {Named} scope
   * @param {Named} question
   * @param {(error: Error | null, text: string, row: (string | null)[] | null) => void} done
   */
  constructor(scope, question, done) {
    this.statements = [scope, question]
    this.done = done
    /** @type {(string | null)[] | null} */
    this.row = null
    this.error = /** @type {Error | null} */ (null)
    this.scoped = false
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

  /** @param {{ fields: (string | null)[] }} row */
  handleDataRow(row) {
    this.row = row.fields
  }
  /** @param {Error} error */
  handleError(error) {
    this.error = error
  }
  handleReadyForQuery() {
    this.done(this.error, this.row?.[0] ?? '', this.row)
  }
  // the row of the last statement, not that of the one before it
  handleCommandComplete() {
    if (!this.scoped) this.row = null
    this.scoped = true
  }
  handleRowDescription() {}
  handlePortalSuspended() {}
  handleEmptyQuery() {}
}

/**
 * Who asks, as the service says it before each question.
 * @param {{ role: string }} claims
 * @returns {Named}
 */
export const scopeOf = (claims) => ({
  name: `scope of ${claims.role}`,
  text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`,
  values: [claims.role, JSON.stringify(claims)],
})
