using Geo.Embedded;

namespace Geo.Telemetry.Tests;

/// <summary>A single instance with a stored state.</summary>
[GlobalSingleInstance]
public sealed class LedgerGrain([PersistentState("ledger", "Ledgers")] IPersistentState<Ledger> state) : Grain, ILedger
{
    public async Task<int> Add(int amount)
    {
        state.State.Balance += amount;
        await state.WriteStateAsync();
        return state.State.Balance;
    }

    public Task<int> Fail() => throw new InvalidOperationException("This ledger is closed.");
}
