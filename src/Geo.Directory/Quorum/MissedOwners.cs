using System.Collections.Concurrent;

namespace Geo.Directory;

/// <summary>
/// Tenancies of other clusters that a call has not found there: the owner's process may have been killed, and another one answers for its
/// cluster. Forgetting one costs a call a detour, no more.
/// </summary>
/// <param name="capacity">Of how many grains this is remembered.</param>
internal sealed class MissedOwners(int capacity)
{
    private readonly ConcurrentDictionary<GrainKey, (string Lease, long Epoch)> _missed = new();
    private readonly ConcurrentDictionary<GrainKey, Placement> _unreached = new();
    private readonly ConcurrentDictionary<GrainKey, byte> _wanted = new();

    /// <summary>A call that followed a hint was answered that the grain is not there.</summary>
    public void Note(GrainKey key, Placement hint)
    {
        if (_missed.Count >= capacity)
        {
            _missed.Clear();
        }

        _missed[key] = (hint.Node!, hint.Tenancy);
    }

    /// <summary>A call that followed a hint did not reach the cluster.</summary>
    public void NoteUnreached(GrainKey key, Placement hint)
    {
        if (_unreached.Count >= capacity)
        {
            _unreached.Clear();
        }

        _unreached[key] = hint;
    }

    /// <summary>Where a call of the grain was not carried, once.</summary>
    public bool TakeUnreached(GrainKey key, out Placement hint) => _unreached.TryRemove(key, out hint);

    /// <summary>Another silo has ended the lease of the owner, and may be taking some grains.</summary>
    public void NoteWanted(IReadOnlyCollection<GrainKey> keys)
    {
        // Once for all of them: to count takes every lock of the table.
        if (_wanted.Count + keys.Count > capacity)
        {
            _wanted.Clear();
        }

        foreach (var key in keys.Take(capacity))
        {
            _wanted[key] = 0;
        }
    }

    /// <summary>True where another silo may be taking the grain, once.</summary>
    public bool TakeWanted(GrainKey key) => _wanted.TryRemove(key, out _);

    /// <summary>True of the very tenancy that was not found.</summary>
    public bool Has(GrainKey key, OwnerRow row) => _missed.TryGetValue(key, out var missed) && missed == (row.Lease, row.Epoch);

    /// <summary>The grain has another owner, or its owner lives.</summary>
    public void Forget(GrainKey key) => _missed.TryRemove(key, out _);
}
