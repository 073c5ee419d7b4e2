namespace Geo.Consistency.Lattices;

/// <summary>
/// Which parts of a class, that have their replicas in other clusters, have a grain that is called so much here that this cluster is to
/// have a replica, too (the worked design's section 7). Pure: time is given. Not thread-safe.
/// </summary>
/// <param name="rate">Calls a second of one grain from which on its part is hot.</param>
/// <param name="calm">How long no grain of the part may have a quarter of it before it is not hot any more.</param>
internal sealed class HotParts(double rate, TimeSpan calm)
{
    /// <summary>Calls are counted for so long, and then anew: fewer in a shorter time may be chance.</summary>
    internal static readonly TimeSpan Window = TimeSpan.FromSeconds(3);

    private const int Grains = 256;
    private const int Slack = 4;

    private readonly CallSketch _calls = new(Grains);
    private readonly Dictionary<LatticeGroup, TimeSpan> _until = [];
    private TimeSpan _windowEnds;

    /// <summary>True where there are any.</summary>
    internal bool HasAny => _until.Count > 0;

    /// <summary>A call of a grain was made here.</summary>
    /// <returns>True when its part has become hot by it.</returns>
    internal bool Note(GrainKey grain, LatticeGroup part, TimeSpan now)
    {
        if (now >= _windowEnds)
        {
            _calls.Clear();
            _windowEnds = now + Window;
        }

        var isHot = _until.ContainsKey(part);
        if (_calls.Add(grain) < rate * Window.TotalSeconds / (isHot ? Slack : 1))
        {
            return false;
        }

        _until[part] = now + calm;
        return !isHot;
    }

    /// <summary>Takes those that are not hot any more.</summary>
    internal IReadOnlyList<LatticeGroup> TakeCool(TimeSpan now)
    {
        LatticeGroup[] cool = [.. _until.Where(p => p.Value <= now).Select(p => p.Key)];
        Array.ForEach(cool, part => _until.Remove(part));
        return cool;
    }
}
