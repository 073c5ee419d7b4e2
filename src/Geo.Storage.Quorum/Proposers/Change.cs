namespace Geo.Storage.Quorum;

/// <summary>
/// One conditional write or delete, and what its attempts so far leave open: rules R8 and R9 of the design of regions, with chains that
/// name the last value of each proposer and their beginning, so that any number of other writes leaves the outcome known.
/// </summary>
/// <param name="expected">The tag of the value to replace; null where there must be none.</param>
internal sealed class Change(Ballot? expected)
{
    // What the values of own attempts were computed on.
    private readonly List<ChainEnd> _bases = [];

    /// <summary>The tag of the own value while the outcome of an attempt is open, the same for all; none before.</summary>
    public Ballot Own { get; private set; }

    /// <summary>The ballot of the last attempt.</summary>
    public Ballot Last { get; private set; }

    /// <summary>
    /// True when an open attempt was made on nothing: then acceptors tell whether what began there may be forgotten.
    /// </summary>
    public bool BeganOnNothing => !Own.IsNone && _bases.Exists(b => b.Tag.IsNone);

    /// <summary>True when this change may replace what a chain ends with.</summary>
    public bool Expects(ChainEnd current) => expected is { } wanted ? current.IsLive && current.Tag == wanted : !current.IsLive;

    /// <summary>An attempt is about to be sent.</summary>
    /// <param name="ballot">Its ballot: the tag, if none is open.</param>
    /// <param name="current">What it replaces.</param>
    public void Attempts(Ballot ballot, ChainEnd current)
    {
        Own = Own.IsNone || SwitchedOff.Is(ProtocolRule.TagStays) ? ballot : Own;
        Last = ballot;
        _bases.Add(current);
    }

    /// <summary>
    /// What to do, by a value that no attempt of before can replace any more: a majority has promised a higher ballot, or has accepted it
    /// under one. Holds once the value is decided.
    /// </summary>
    /// <param name="current">The value with the highest ballot; null for none.</param>
    /// <param name="forgotten">What the majority tells of values that were forgotten; null where it is not known.</param>
    public ChangeVerdict Judge(QuorumValue? current, Ballot? forgotten)
    {
        if (current?.Descends(Own) == true && !Own.IsNone)
        {
            return ChangeVerdict.Applied;
        }

        if (Own.IsNone || IsStillBase(current, forgotten))
        {
            return Fits(current);
        }

        if (current is null || !current.Excludes(Own) || !_bases.TrueForAll(b => IsOfOneChain(b, current, forgotten)))
        {
            return ChangeVerdict.Unknown;
        }

        // No attempt is in the chain, nor ever will be.
        return Expects(ChainEnd.Of(current)) ? ChangeVerdict.Restart : ChangeVerdict.Conflict;
    }

    /// <summary>Forgets its attempts, of which none will ever count.</summary>
    public void Restart()
    {
        Own = Ballot.None;
        _bases.Clear();
    }

    private ChangeVerdict Fits(QuorumValue? current) => Expects(ChainEnd.Of(current)) ? ChangeVerdict.Propose : ChangeVerdict.Conflict;

    // Where there is nothing, as before, the own value may have been there, deleted and forgotten: acceptors would tell that.
    private bool IsStillBase(QuorumValue? current, Ballot? forgotten) =>
        current is null ? _bases.TrueForAll(b => b.Tag.IsNone) && IsUnforgotten(forgotten) : _bases.Exists(b => b.Tag == current.Tag);

    // A chain that began on nothing after an own one was forgotten has a higher beginning, and acceptors tell that.
    private bool IsOfOneChain(ChainEnd end, QuorumValue current, Ballot? forgotten) =>
        SwitchedOff.Is(ProtocolRule.ChainIsOne)
        || (end.Tag.IsNone ? current.Origin < Own || IsUnforgotten(forgotten) : end.Origin == current.Origin);

    private bool IsUnforgotten(Ballot? forgotten) => forgotten is { } told && told < Own;
}
