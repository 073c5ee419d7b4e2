using Geo.Embedded;
using Geo.Storage.Quorum;

namespace Geo.Testing;

/// <summary>
/// The stores that the clusters of a standard simulation keep together, by majority: the one that ships, each cluster's part in a simulated
/// store of its own.
/// </summary>
internal sealed class SimulatedRegisters
{
    private readonly QuorumConfiguration _configuration;
    private readonly QuorumStoreOptions _options;
    private readonly IReadOnlyList<string> _names;

    /// <summary>Decides how patient the stores are, and whether the grains' states and versions are in one, too.</summary>
    public SimulatedRegisters(SimulationWorld world)
    {
        var choices = world.Choices.Tape("registers");
        _configuration = new QuorumConfiguration(1, [.. world.Clusters.Select(c => c.Id)]);
        _options = new QuorumStoreOptions
        {
            RequestTimeout = TimeSpan.FromMilliseconds(choices.Next(2) == 0 ? 1500 : 500),
            StoreTimeout = TimeSpan.FromSeconds(1),
            OperationTimeout = TimeSpan.FromSeconds(3),
            PageTimeout = TimeSpan.FromSeconds(2),
            SweepEvery = choices.Next(3) == 2 ? TimeSpan.FromSeconds(3) : null,
        };
        _names = choices.Next(3) == 2 ? [GeoStorage.Quorum, GeoStorage.Default] : [GeoStorage.Quorum];
        world.KeptTogether.UnionWith(_names);
    }

    /// <summary>Adds them to a silo.</summary>
    public void Configure(GeoEmbeddedBuilder geo)
    {
        foreach (var name in _names)
        {
            geo.AddStore(name, services => Open(name, services));
        }
    }

    private QuorumConditionalStore Open(string name, IServiceProvider services)
    {
        var silo = (SimulatedSurroundings)SiloSurroundings.Of(services);
        return new QuorumConditionalStore(
            _configuration, silo.Kept(name), _options with { Service = $"geo/quorum/{name}" }, silo.Time, silo.Random);
    }
}
