namespace Geo.Orleans.Tests.Grains;

/// <summary>A grain that is moved from silo to silo, and takes along what it has in memory.</summary>
public interface INomad : IGrainWithStringKey
{
    /// <returns>How often it has been called so.</returns>
    Task<int> Call();

    Task<SiloAddress> Where();

    /// <summary>Moves the activation to another silo of its cluster.</summary>
    Task MoveTo(SiloAddress silo);
}
