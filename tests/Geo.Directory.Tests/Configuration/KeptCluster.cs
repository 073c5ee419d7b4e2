using Geo.Directory.Tests.Silos;
using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>A cluster of <see cref="KeptClusters"/>.</summary>
internal sealed record KeptCluster(ClusterId Id, SiblingNet Net, SimulatedStore Rows, SimulatedStore Way)
{
    public List<KeptSilo> Silos { get; } = [];

    public IEnumerable<KeptSilo> Living => Silos.Where(s => !s.Lane.IsHalted);

    /// <summary>True once an operator has said that it is lost.</summary>
    public bool IsForcedOut { get; set; }
}
