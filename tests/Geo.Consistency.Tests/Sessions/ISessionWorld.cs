using Geo.Consistency.Tests.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.Sessions;

/// <summary>One grain in several clusters, for sessions that go from one to another.</summary>
internal interface ISessionWorld
{
    SimulationScheduler Scheduler { get; }

    IReadOnlyList<string> Clusters { get; }

    /// <summary>Begins, until all clusters have their place.</summary>
    Task StartAsync();

    /// <summary>Calls the grain in a cluster, in a turn of its own.</summary>
    Task<T> CallAsync<T>(string cluster, Func<IVersionedView<Notes, string>, Task<T>> call);

    /// <summary>Something goes wrong, or is mended.</summary>
    Task DisturbAsync(Random random);

    /// <summary>Everything is well again.</summary>
    void Heal();
}
