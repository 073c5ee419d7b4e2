namespace Geo.Consistency.Lattices;

/// <summary>
/// What was put aside here. The replica goes on taking later updates, but neither tells others that it has what is missing, nor takes it
/// for seen in the grains that lack it: whoever merged such a state would remove what it stands for.
/// </summary>
/// <param name="most">Of how many grains it is remembered; then all that come are taken to lack something.</param>
internal sealed class LatticeHoles(int most)
{
    private readonly Dictionary<GrainKey, Hole> _grains = [];
    private LatticeFloors _all = new();
    private LatticeFloors _ofDonors = new();
    private bool _isFull;
    private bool _hasMore;

    // What any grain may lack, because one that was asked did not know of which grains it lacked it.
    private Hole? _any;

    // While what another one has is merged.
    private HashSet<GrainKey>? _added;

    /// <summary>What the others are told of it.</summary>
    internal LatticeLacking Told { get; } = new();

    /// <summary>True when more grains may lack something than are remembered.</summary>
    internal bool LacksAny => _hasMore || _any is not null;

    /// <summary>The grains that lack something, as far as they are remembered, and the last updates that each lacks.</summary>
    internal IEnumerable<(GrainKey Grain, VectorClock Missing)> Missing => _grains.Select(g => (g.Key, g.Value.Missing));

    private IEnumerable<Hole> Known => _any is null ? _grains.Values : _grains.Values.Append(_any);

    /// <summary>What of a clock this replica vouches for.</summary>
    internal VectorClock Below(VectorClock clock) => _all.Below(clock);

    /// <summary>What of a clock is here but for what nobody could give: others may have that.</summary>
    internal VectorClock BelowDonors(VectorClock clock) => _ofDonors.Below(clock);

    /// <summary>Something is missing.</summary>
    /// <param name="grain">Of which grain.</param>
    /// <param name="cell">Its cell; null where there is none.</param>
    /// <param name="isServed">True where there can be one.</param>
    /// <param name="isOfDonor">True where who was asked for it had put it aside.</param>
    /// <param name="seen">The updates that what is missing stands for.</param>
    /// <param name="applied">What had come before.</param>
    internal void Add(GrainKey grain, LatticeCell? cell, bool isServed, bool isOfDonor, VectorClock seen, VectorClock applied)
    {
        _added?.Add(grain);
        var missing = seen.Beyond(applied);
        if (missing.Equals(VectorClock.Bottom))
        {
            // It had all come before.
            return;
        }

        var isKnown = _grains.TryGetValue(grain, out var hole);
        hole ??= new(isServed ? grain.ToString() : grain.Type, isOfDonor);
        Told.Add(hole.Name);
        hole.Missing = hole.Missing.Merge(missing);
        var wasOfDonor = hole.IsOfDonor;
        hole.IsOfDonor &= isOfDonor;
        if (!isKnown && _grains.Count < most)
        {
            _grains.Add(grain, hole);
        }
        else if (!isKnown)
        {
            _hasMore = true;
            _isFull |= cell is null && isServed;
        }

        Lower(hole.Floors, missing, applied);
        if (cell is not null)
        {
            Lower(cell.Lacks ??= new(), missing, applied);
        }

        Lower(_all, missing, applied);
        if (isOfDonor)
        {
            Lower(_ofDonors, missing, applied);
        }
        else if (wasOfDonor)
        {
            // Nobody can give it to this replica any more.
            _ofDonors = Floors(Known.Where(static h => h.IsOfDonor));
        }
    }

    /// <summary>Who was asked lacks something, and does not know of which grains.</summary>
    internal void AddAny(IEnumerable<LatticeCell> cells, VectorClock seen, VectorClock applied)
    {
        var missing = seen.Beyond(applied);
        if (missing.Equals(VectorClock.Bottom))
        {
            return;
        }

        _any ??= new(string.Empty, isOfDonor: true);
        _any.Missing = _any.Missing.Merge(missing);
        Told.AddAny();
        Lower(_any.Floors, missing, applied);
        Lower(_all, missing, applied);
        Lower(_ofDonors, missing, applied);
        foreach (var cell in cells)
        {
            Lower(cell.Lacks ??= new(), missing, applied);
        }
    }

    /// <summary>What a grain lacks that comes here now; null for nothing.</summary>
    internal LatticeFloors? Take(GrainKey grain)
    {
        var floors = _isFull ? new LatticeFloors(_all) : _any is null ? null : new LatticeFloors(_any.Floors);
        if (_grains.TryGetValue(grain, out var hole))
        {
            (floors ??= new()).Lower(hole.Floors);
        }

        return floors;
    }

    /// <summary>True when one that vouches for so much has something that others which were asked lacked, and may give it.</summary>
    /// <param name="vouched">What it vouches for.</param>
    /// <param name="given">What of that it was asked for already.</param>
    internal bool CanHeal(VectorClock vouched, VectorClock given) => !_hasMore && Known.Any(
        hole => hole.IsOfDonor && vouched.Covers(hole.Missing) && !given.Covers(hole.Missing));

    /// <summary>What another one has, and what was missing because the one before lacked it, is about to be merged.</summary>
    internal void BeginHeal() => _added = [];

    /// <summary>All of what another one has is merged: what it did not say that it lacks is here now.</summary>
    /// <param name="has">What it has: where it does not know all that it lacks, what it vouched for.</param>
    /// <param name="cells">The cells.</param>
    internal void EndHeal(VectorClock has, IEnumerable<LatticeCell> cells)
    {
        var added = _added ?? [];
        _added = null;
        var healed = _grains.Where(g => g.Value.IsOfDonor && !added.Contains(g.Key) && has.Covers(g.Value.Missing))
            .Select(g => g.Key).ToList();
        var healsAny = _any is not null && has.Covers(_any.Missing);
        if ((healed.Count == 0 && !healsAny) || _hasMore || LatticeRules.IsOff(LatticeRule.Heal))
        {
            return;
        }

        healed.ForEach(grain => _grains.Remove(grain));
        _any = healsAny ? null : _any;
        Told.Set(_grains.Values.Select(static h => h.Name), isAny: _any is not null);
        (_all, _ofDonors) = (Floors(Known), Floors(Known.Where(static h => h.IsOfDonor)));
        foreach (var cell in cells)
        {
            cell.Lacks = cell.Lacks is null ? null : Take(cell.Key);
        }
    }

    private static LatticeFloors Floors(IEnumerable<Hole> holes)
    {
        var floors = new LatticeFloors();
        foreach (var hole in holes)
        {
            floors.Lower(hole.Floors);
        }

        return floors;
    }

    private static void Lower(LatticeFloors floors, VectorClock missing, VectorClock applied)
    {
        foreach (var source in missing.Sources)
        {
            floors.Lower(source, applied[source]);
        }
    }

    private sealed class Hole(string name, bool isOfDonor)
    {
        /// <summary>What the others are told of it: the grain, or a class that the silo does not have.</summary>
        internal string Name => name;

        internal LatticeFloors Floors { get; } = new();

        internal VectorClock Missing { get; set; } = VectorClock.Bottom;

        internal bool IsOfDonor { get; set; } = isOfDonor;
    }
}
