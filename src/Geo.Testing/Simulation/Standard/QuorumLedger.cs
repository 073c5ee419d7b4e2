using Geo.Embedded;

namespace Geo.Testing;

/// <summary>
/// A stored state, one instance for certain, of which a majority says who has it: its reads from memory are linearizable.
/// </summary>
[GrainType("quorum-ledger")]
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
internal sealed class QuorumLedger(
    [PersistentState("log")] IPersistentState<SimulatedLog> state, StandardRun run) : LedgerGrain(state, run);
