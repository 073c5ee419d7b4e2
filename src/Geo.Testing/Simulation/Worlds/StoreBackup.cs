namespace Geo.Testing;

/// <summary>Backups of a store in memory.</summary>
internal static class StoreBackup
{
    /// <summary>All that the store holds at present.</summary>
    public static async Task<IReadOnlyList<StoreEntry>> TakeAsync(IConditionalStore store)
    {
        var entries = new List<StoreEntry>();
        await foreach (var entry in store.ListAsync(""))
        {
            entries.Add(entry);
        }

        return entries;
    }

    /// <summary>Goes back to a backup: what was written since is gone. The versions of what changes are new ones.</summary>
    public static async Task RestoreAsync(IConditionalStore store, IReadOnlyList<StoreEntry> backup)
    {
        var present = (await TakeAsync(store)).ToDictionary(e => e.Key, StringComparer.Ordinal);
        foreach (var entry in backup)
        {
            var known = present.Remove(entry.Key, out var now);
            if (!known || now.ETag != entry.ETag)
            {
                await store.WriteAsync(entry.Key, entry.Value, known ? now.ETag : null);
            }
        }

        foreach (var written in present.Values)
        {
            await store.DeleteAsync(written.Key, written.ETag);
        }
    }
}
