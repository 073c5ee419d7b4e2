using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A stored state, one instance for certain, of which a majority says who has it, and which follows its callers.</summary>
[GrainType("following-ledger")]
[GlobalSingleInstance(SingleInstanceMode.Quorum), Home(HomePolicy.FollowsCallers)]
internal sealed class FollowingLedger(
    [PersistentState("log")] IPersistentState<SimulatedLog> state, StandardRun run) : LedgerGrain(state, run);
