using Geo.Embedded;

namespace Geo.Testing;

/// <summary>
/// A stored state, one instance that stays available: a duplicate may show an older state, and writes nothing over a newer one.
/// </summary>
[GrainType("loose-ledger")]
[GlobalSingleInstance(SingleInstanceMode.Optimistic)]
internal sealed class OptimisticLedger(
    [PersistentState("log")] IPersistentState<SimulatedLog> state, StandardRun run) : LedgerGrain(state, run);
