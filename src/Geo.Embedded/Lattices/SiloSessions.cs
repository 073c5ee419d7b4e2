using Geo.Consistency;
using Geo.Consistency.Lattices;

namespace Geo.Embedded;

/// <summary>Sessions over a silo's coordination-free grains, for services that are made before it starts.</summary>
internal sealed class SiloSessions(GeoSilo silo) : ILatticeSessions
{
    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The silo has not started, or has no coordination-free class.</exception>
    public ILatticeSession Open(ConsistencyLevel level, SessionToken? continues, SessionMiss onMiss, TimeSpan? wait) =>
        silo.Lattices is ILatticeSessions sessions ? sessions.Open(level, continues, onMiss, wait) : throw new InvalidOperationException(
            "The silo has not started, or has no [CoordinationFree] grain class.");
}
