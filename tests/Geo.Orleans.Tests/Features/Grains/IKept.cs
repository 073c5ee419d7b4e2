namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A grain that keeps a number in a grain storage.</summary>
public interface IKept : IGrainWithStringKey
{
    /// <summary>Adds, writes, and tells the cluster and the sum.</summary>
    Task<Kept> Add(int amount);

    /// <summary>The cluster, and the sum that is stored.</summary>
    Task<Kept> Read();

    Task Clear();

    Task End();
}
