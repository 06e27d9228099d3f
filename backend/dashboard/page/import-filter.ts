import type { Deps } from '../../deps.ts'
import { type PageContext, pathTo } from './page-context.ts'

/** The filter of a list that shows only what came from an import. */
export interface ImportFilter {
  /** The name of the file, or “a file that was deleted”. */
  name: string
  /** The first page of the same list without the filter. */
  removePath: string
}

/** Finds the import that a list is filtered by. Returns null if it isn't filtered by one. */
export async function findImportFilter(
  { db }: Pick<Deps, 'db'>,
  context: PageContext<{ import?: number | undefined }>,
  list: { path: string; params: Record<string, string> },
): Promise<ImportFilter | null> {
  const { workspace, query } = context
  if (query.import === undefined) return null
  const found = await db
    .selectFrom('contact_import')
    .select('file_name')
    .where('workspace_id', '=', workspace.id)
    .where('id', '=', query.import)
    .executeTakeFirst()
  const others = new URLSearchParams(list.params)
  others.delete('import')
  const rest = others.toString()
  return {
    name: found?.file_name ?? 'a file that was deleted',
    removePath: pathTo(context, rest === '' ? list.path : `${list.path}?${rest}`),
  }
}
