using System.Diagnostics;

namespace Geo.Experiments.Regions;

/// <summary>Owned by majority; its entries are in the store that the regions keep together.</summary>
[GlobalSingleInstance(SingleInstanceMode.Quorum), BatchedCas, Reentrant]
public sealed class Ledger : JournaledGrain<LedgerState, LedgerEntry>, ILedger
{
    public async Task<long[]> Add(long id)
    {
        var (epoch, began) = Begin();
        RaiseEvent(new LedgerEntry(id));
        await ConfirmEvents();
        return new Served(epoch, began, Stopwatch.GetTimestamp()).ToArray();
    }

    public Task<long[]> Look()
    {
        var (epoch, began) = Begin();
        return Task.FromResult(new Served(epoch, began, Stopwatch.GetTimestamp()).ToArray());
    }

    public async Task<long[]> Entries()
    {
        Begin();
        await RefreshNow();
        return [.. State.Entries];
    }

    private (long Epoch, long Began) Begin()
    {
        var (epoch, began) = (this.GetTenancyEpoch(), Stopwatch.GetTimestamp());
        TenancyLog.Note(this.GetPrimaryKeyString(), epoch, began);
        return (epoch, began);
    }
}
