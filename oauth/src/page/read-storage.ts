/** All that a script of this origin can read. */
export async function readStorage(): Promise<unknown[]> {
  return [
    { ...localStorage },
    { ...sessionStorage },
    document.cookie,
    await caches.keys(),
    ...(await Promise.all((await indexedDB.databases()).map(({ name }) => readDatabase(name!)))),
  ]
}

async function readDatabase(name: string): Promise<unknown[]> {
  const database = await settled(indexedDB.open(name))
  try {
    const stores = [...database.objectStoreNames]
    if (stores.length === 0) return []
    const transaction = database.transaction(stores, 'readonly')
    return await Promise.all(
      stores.flatMap((store) => {
        const all = transaction.objectStore(store)
        return [settled(all.getAllKeys()), settled(all.getAll())]
      }),
    )
  } finally {
    database.close()
  }
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
