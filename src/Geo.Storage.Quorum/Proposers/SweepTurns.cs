namespace Geo.Storage.Quorum;

/// <summary>
/// Decides which of the processes of all clusters sweeps: one that has seen nobody begin for as long as a sweep is due, and says so first
/// by a change of a register that all of them read. It depends on no clock but for how often there are sweeps.
/// </summary>
internal sealed class SweepTurns(Proposer proposer)
{
    // The last beginning of a sweep that this process knows of.
    private Ballot _seen;

    /// <summary>Asks for the turn.</summary>
    /// <returns>True when this process is to sweep now.</returns>
    public async Task<bool> TakeAsync(CancellationToken cancellationToken)
    {
        var last = (await proposer.ReadAsync(OwnKeys.Sweep, cancellationToken))?.Tag ?? Ballot.None;
        if (last != _seen)
        {
            _seen = last;
            return false;
        }

        var change = new Change(last.IsNone ? null : last);
        if (await proposer.ChangeAsync(OwnKeys.Sweep, change, isLive: true, default, cancellationToken) != ChangeVerdict.Applied)
        {
            return false;
        }

        _seen = change.Own;
        return true;
    }
}
