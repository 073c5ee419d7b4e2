namespace Geo.Consistency.Lattices;

/// <summary>
/// What was put aside here. The replica goes on taking later updates, but neither tells others that it has what is missing, nor takes it
/// for seen in the grains that lack it: whoever merged such a state would remove what it stands for.
/// </summary>
/// <param name="most">Of how many grains that are not here it is remembered; then all that come are taken to lack something.</param>
internal sealed class LatticeHoles(int most)
{
    private readonly LatticeFloors _all = new();
    private readonly Dictionary<GrainKey, LatticeFloors> _absent = [];
    private bool _isFull;

    /// <summary>What the others are told of it.</summary>
    internal LatticeLacking Told { get; } = new();

    /// <summary>What of a clock this replica vouches for.</summary>
    internal VectorClock Below(VectorClock clock) => _all.Below(clock);

    /// <summary>Something is missing.</summary>
    /// <param name="grain">Of which grain.</param>
    /// <param name="cell">Its cell; null where there is none.</param>
    /// <param name="isServed">True where there can be one.</param>
    /// <param name="seen">The updates that what is missing stands for.</param>
    /// <param name="applied">What had come before.</param>
    internal void Add(GrainKey grain, LatticeCell? cell, bool isServed, VectorClock seen, VectorClock applied)
    {
        var missing = seen.Beyond(applied);
        if (missing.Equals(VectorClock.Bottom))
        {
            // It had all come before.
            return;
        }

        Told.Add(grain, isServed);
        var floors = cell is not null ? cell.Lacks ??= new() : isServed ? OfAbsent(grain) : null;
        foreach (var source in missing.Sources)
        {
            _all.Lower(source, applied[source]);
            floors?.Lower(source, applied[source]);
        }
    }

    /// <summary>What a grain lacks that comes here now; null for nothing.</summary>
    internal LatticeFloors? Take(GrainKey grain) =>
        _absent.Remove(grain, out var floors) ? floors : _isFull ? new(_all) : null;

    private LatticeFloors? OfAbsent(GrainKey grain)
    {
        if (!_absent.TryGetValue(grain, out var floors))
        {
            if (_absent.Count >= most)
            {
                _isFull = true;
                return null;
            }

            _absent.Add(grain, floors = new());
        }

        return floors;
    }
}
