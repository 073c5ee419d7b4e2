namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A grain with an instance in each cluster.</summary>
public interface IEverywhere : IGrainWithStringKey
{
    /// <summary>The cluster of the instance.</summary>
    Task<string> Where();
}
