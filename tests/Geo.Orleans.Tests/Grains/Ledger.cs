using Orleans.Concurrency;
using Orleans.EventSourcing;
using Orleans.Placement;

namespace Geo.Orleans.Tests.Grains;

[OneInstancePerCluster, BatchedCas]
[Reentrant]
[PreferLocalPlacement]
public sealed class Ledger : JournaledGrain<LedgerState, Added>, ILedger
{
    public async Task Confirm(int number)
    {
        RaiseEvent(new Added(number));
        await ConfirmEvents();
    }

    public async Task<int[]> Latest()
    {
        await RefreshNow();
        return State.Numbers.Count == Version
            ? [.. State.Numbers]
            : throw new InvalidOperationException($"Version {Version} has {State.Numbers.Count} updates.");
    }
}
