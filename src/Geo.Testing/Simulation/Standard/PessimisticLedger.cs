using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A stored state, one instance for certain: its reads from memory are linearizable.</summary>
[GrainType("ledger")]
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
internal sealed class PessimisticLedger(
    [PersistentState("log")] IPersistentState<SimulatedLog> state, StandardRun run) : LedgerGrain(state, run);
