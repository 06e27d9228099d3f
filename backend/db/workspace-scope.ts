import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { roles } from './roles.ts'
import type { Database, Db } from './schema.ts'

/**
 * Returns dependencies whose database contains only the rows of one workspace. The policies of the tables enforce it,
 * also for a statement that doesn't filter by workspace.
 */
export function scopeToWorkspace<Scope extends { db: Db }>(deps: Scope, workspaceId: number): Scope {
  return { ...deps, db: scopeDatabase(deps.db, workspaceId) }
}

function scopeDatabase(db: Db, workspaceId: number): Db {
  // In a transaction, the scope would end later than this object, and the statements that follow would see less.
  if (db.isTransaction) throw new Error("invariant: a transaction in progress can't be scoped")
  if (!Number.isSafeInteger(workspaceId)) throw new Error('invariant: the workspace ID is not an integer')
  return new Kysely<Database>({
    plugins: [...db.getExecutor().plugins],
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (introspected) => new PostgresIntrospector(introspected),
      createDriver: () => new WorkspaceDriver(db, workspaceId),
    },
  })
}

/** Runs every statement in a transaction under the workspace role, on a connection of another database object. */
class WorkspaceDriver implements Driver {
  readonly #db: Db
  readonly #scope: CompiledQuery

  constructor(db: Db, workspaceId: number) {
    this.#db = db
    // One message, so that it takes as long as `begin`. `local` ends the settings with the transaction, whether it's
    // committed, rolled back, or cut off, so the next user of the connection doesn't inherit them.
    this.#scope = CompiledQuery.raw(
      `begin; set local role ${roles.workspace}; set local outdial.workspace_id = '${workspaceId}'`,
    )
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return new Promise((resolve, reject) => {
      const provided = this.#db.getExecutor().provideConnection(
        (connection) =>
          new Promise<void>((release) => {
            resolve(new WorkspaceConnection(connection, this.#scope, release))
          }),
      )
      provided.catch(reject)
    })
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    asScoped(connection).release()
  }

  beginTransaction = (connection: DatabaseConnection): Promise<void> => asScoped(connection).begin()
  commitTransaction = (connection: DatabaseConnection): Promise<void> => asScoped(connection).commit()
  rollbackTransaction = (connection: DatabaseConnection): Promise<void> => asScoped(connection).rollback()

  /** Does nothing, because the pool belongs to the other database object. */
  async destroy(): Promise<void> {}
}

class WorkspaceConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #scope: CompiledQuery
  readonly release: () => void
  #isInTransaction = false

  constructor(connection: DatabaseConnection, scope: CompiledQuery, release: () => void) {
    this.#connection = connection
    this.#scope = scope
    this.release = release
  }

  async begin(): Promise<void> {
    try {
      await this.#connection.executeQuery(this.#scope)
    } catch (error) {
      await this.rollbackAfter() // the transaction can have begun before the error
      throw error
    }
    this.#isInTransaction = true
  }

  async commit(): Promise<void> {
    const { rows } = await this.#connection.executeQuery<{ command?: string }>(CompiledQuery.raw('commit'))
    this.#isInTransaction = false
    // PostgreSQL rolls back a transaction in which a statement failed.
    if (rows[0]?.command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    this.#isInTransaction = false
    await this.#connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isInTransaction) return this.#connection.executeQuery<Row>(query)
    await this.begin()
    try {
      const result = await this.#connection.executeQuery<Row>(query)
      await this.commit()
      return result
    } catch (error) {
      await this.rollbackAfter()
      throw error
    }
  }

  /** Rolls back after an error, which says more than a failure of the rollback. The pool then closes the connection. */
  async rollbackAfter(): Promise<void> {
    await this.rollback().catch(() => {})
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("invariant: a scoped statement can't be streamed")
  }
}

function asScoped(connection: DatabaseConnection): WorkspaceConnection {
  if (connection instanceof WorkspaceConnection) return connection
  throw new Error('invariant: the connection belongs to another driver')
}
