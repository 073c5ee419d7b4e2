namespace Geo.Orleans.Tests.Grains;

/// <summary>An ordinary grain that calls others.</summary>
public interface ICaller : IGrainWithStringKey
{
    /// <summary>What <see cref="ISpot.Measure"/> of a grain says of so many bytes.</summary>
    Task<int> Measure(string spot, int bytes);
}
