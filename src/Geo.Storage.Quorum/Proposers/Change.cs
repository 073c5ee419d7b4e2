namespace Geo.Storage.Quorum;

/// <summary>
/// One conditional write or delete, and what its attempts so far leave open: rules R8 and R9 of the design of regions.
/// </summary>
/// <param name="expected">The tag of the value to replace; null where there must be none.</param>
internal sealed class Change(Ballot? expected)
{
    // What the values of own attempts were computed on; none stands for no value at all.
    private readonly HashSet<Ballot> _bases = [];

    /// <summary>The tag of the own value once an attempt was sent, the same for all attempts; none before.</summary>
    public Ballot Own { get; private set; }

    /// <summary>True when a value may be replaced by this change.</summary>
    public bool Expects(Ballot tag, bool isLive) => expected is { } wanted ? isLive && tag == wanted : !isLive;

    /// <summary>An attempt is about to be sent.</summary>
    /// <param name="ballot">Its ballot: the tag, if it is the first.</param>
    /// <param name="current">The tag of the value that it replaces; none for no value.</param>
    public void Attempts(Ballot ballot, Ballot current)
    {
        Own = Own.IsNone ? ballot : Own;
        _bases.Add(current);
    }

    /// <summary>What to do, now that a majority has promised; holds once the present value is decided.</summary>
    /// <param name="current">The value with the highest ballot among the promises; null for none.</param>
    /// <param name="floor">The highest floor among them.</param>
    public ChangeVerdict Judge(QuorumValue? current, Ballot floor)
    {
        if (Own.IsNone)
        {
            return Expects(current) ? ChangeVerdict.Propose : ChangeVerdict.Conflict;
        }

        if (current?.Descends(Own) == true)
        {
            return ChangeVerdict.Applied;
        }

        if (IsStillBase(current, floor))
        {
            return ChangeVerdict.Propose;
        }

        // All that own attempts were computed on has been replaced by others: no attempt is in the chain, nor ever will be. Where nothing is
        // expected and nothing is there again, the change is as good as new.
        return current is null || !_bases.All(b => !b.IsNone && current.Descends(b)) ? ChangeVerdict.Unknown
            : Expects(current) ? ChangeVerdict.Propose
            : ChangeVerdict.Conflict;
    }

    private bool Expects(QuorumValue? current) => Expects(current?.Tag ?? Ballot.None, current is { IsLive: true });

    // Where nothing is expected, the own value may have been applied, deleted and collected: then a floor tells.
    private bool IsStillBase(QuorumValue? current, Ballot floor) =>
        expected is not null ? Expects(current)
        : current is null ? _bases.Contains(Ballot.None) && _bases.Count == 1 && floor < Own
        : !current.IsLive && _bases.Contains(current.Tag);
}
