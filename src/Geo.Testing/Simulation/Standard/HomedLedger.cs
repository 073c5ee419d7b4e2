using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A stored state, one instance for certain, that lives in eu where it can.</summary>
[GrainType("homed-ledger")]
[GlobalSingleInstance(SingleInstanceMode.Pessimistic), Home("eu")]
internal sealed class HomedLedger(
    [PersistentState("log")] IPersistentState<SimulatedLog> state, StandardRun run) : LedgerGrain(state, run);
