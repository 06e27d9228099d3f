import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

export type Id = GeneratedAlways<number>
export type TimestampColumn = Date
export type CreatedAt = Generated<Date>

/** A JSON column. It's written as text, because node-postgres would convert an array to a PostgreSQL array. */
export type Json<T> = ColumnType<T, string, string>
export type JsonWithDefault<T> = ColumnType<T, string | undefined, string>
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>
